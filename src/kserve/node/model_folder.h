#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "base/mutex.h"
#include "base/status.h"

namespace inferd::node {

// A revision's model on this machine: brought here once, for all of its replicas. Thread-safe.
class ModelFolder final {
 public:
  // Brings the model to the folder, on the thread that waits for it.
  using Fetch = std::function<base::Status(const std::string& folder, const std::stop_token& stop)>;

  // `fetch` null: the revision has no model.
  ModelFolder(Fetch fetch, std::string folder);
  ~ModelFolder();  // removes it

  // The folder, once the model is there; other calls wait meanwhile. What failed is tried again with the next call. The
  // errors are those of `fetch`; CANCELLED: `stop` said so.
  base::Result<std::string> Await(const std::stop_token& stop);

 private:
  const Fetch fetch_;
  const std::string folder_;
  base::Mutex mutex_;
  base::CondVar changed_;
  bool there_ GUARDED_BY(mutex_) = false;
  bool fetching_ GUARDED_BY(mutex_) = false;
};

}  // namespace inferd::node
