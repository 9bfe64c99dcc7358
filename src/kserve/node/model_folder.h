#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "base/mutex.h"
#include "base/status.h"

namespace inferd::node {

// A revision's model on this machine. It is fetched once, for all replicas of the revision. Thread-safe.
class ModelFolder final {
 public:
  // Fetches the model into the folder, on the calling thread.
  using Fetch = std::function<base::Status(const std::string& folder, const std::stop_token& stop)>;

  // `fetch` is null if the revision has no model.
  ModelFolder(Fetch fetch, std::string folder);
  ~ModelFolder();  // removes the folder

  // Returns the folder once the model is there. The first call fetches it, and other calls wait. After a failure, the
  // next call tries again. Errors are those of `fetch`. CANCELLED if `stop` was requested. Empty path if the revision
  // has no model.
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
