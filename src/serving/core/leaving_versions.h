#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "serving/core/request/infer_request.h"

namespace inferd::core {

class ModelVersion;

// Replaced versions that still have unfinished sequences. They accept only requests of these sequences, until the
// sequences end, but only for a limited time. Thread-safe. This object does not keep the versions loaded; Keep() does.
class LeavingVersions final {
 public:
  // Adds a version, which Find() finds from now on. Call before publishing the snapshot that replaces the version.
  void Add(const std::shared_ptr<const ModelVersion>& version);
  // Keeps the version loaded while it has sequences, until `until_ns` at the latest. Call after publishing that
  // snapshot.
  static void Keep(std::shared_ptr<const ModelVersion> version, int64_t until_ns);
  // Releases all versions.
  void Release();

  // Returns the version with the request's sequence; `current` is the version that the catalog found. Null if none has
  // it. A request with START instead ends any sequence of that id here.
  std::shared_ptr<const ModelVersion> Find(const ModelVersion& current, const InferRequest& request);

  bool empty() const { return count_.load(std::memory_order_acquire) == 0; }

 private:
  using Version = std::weak_ptr<const ModelVersion>;

  // Returns the versions that still exist.
  std::vector<std::shared_ptr<const ModelVersion>> All();

  base::Mutex mutex_;
  std::vector<Version> versions_ GUARDED_BY(mutex_);
  std::atomic<size_t> count_{0};
};

}  // namespace inferd::core
