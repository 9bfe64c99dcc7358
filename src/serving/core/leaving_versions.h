#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "serving/core/request/infer_request.h"

namespace inferd::core {

class ModelVersion;

// Versions that others have replaced, and that take no more requests but those of sequences that have begun there: they
// are kept until these have ended, for so long at most. Thread-safe. It does not keep the versions loaded.
class LeavingVersions final {
 public:
  // It is found from now on. Before the snapshot is out that has another in its place.
  void Add(const std::shared_ptr<const ModelVersion>& version);
  // Behind that snapshot: the version's sequences keep it, until `until_ns` at the latest.
  static void Keep(std::shared_ptr<const ModelVersion> version, int64_t until_ns);
  // Lets all go.
  void Release();

  // That which has the sequence of a request, for which `current` was found; null: there is none. A request with START
  // ends what there is of its sequence instead.
  std::shared_ptr<const ModelVersion> Find(const ModelVersion& current, const InferRequest& request);

  bool empty() const { return count_.load(std::memory_order_acquire) == 0; }

 private:
  using Version = std::weak_ptr<const ModelVersion>;

  // Those that are there still.
  std::vector<std::shared_ptr<const ModelVersion>> All();

  base::Mutex mutex_;
  std::vector<Version> versions_ GUARDED_BY(mutex_);
  std::atomic<size_t> count_{0};
};

}  // namespace inferd::core
