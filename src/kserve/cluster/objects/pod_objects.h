#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "kserve/kubernetes/client/client.h"
#include "kserve/kubernetes/watch/object_cache.h"

namespace inferd::cluster {

// Reads the Secret or the ServiceAccount that a pod's credentials come from. Null if there is none, or if no object can
// have that name. Returns the client's errors. Thread-safe; blocks.
kubernetes::ApiResult<kubernetes::ObjectPointer> ReadPodObject(kubernetes::Client& client, const std::string& kind,
                                                               const kubernetes::ObjectName& name,
                                                               const std::stop_token& stop);

// A cache of the Secrets and ServiceAccounts that pods' credentials come from. Each object is requested by name, so
// that the only right needed is "get". Entries are reused for kAgeMax, since services of a namespace share them. The
// contents are secret and appear in no message. Thread-safe; calls block.
class PodObjects final {
 public:
  static constexpr std::chrono::seconds kAgeMax{30};
  static constexpr size_t kObjectsMax = 4096;

  // Both must outlive the cache.
  PodObjects(kubernetes::Client& client, const base::Clock& clock) : client_(client), clock_(clock) {}

  // Returns the object. Null if there is none. `kind` is "Secret" or "ServiceAccount". Returns the client's errors.
  kubernetes::ApiResult<kubernetes::ObjectPointer> Find(const std::string& kind, const kubernetes::ObjectName& name,
                                                        const std::stop_token& stop);

 private:
  using Key = std::pair<std::string, kubernetes::ObjectName>;
  struct Entry {
    kubernetes::ObjectPointer object;
    int64_t read_ns = 0;
  };

  kubernetes::Client& client_;
  const base::Clock& clock_;
  base::Mutex mutex_;
  std::map<Key, Entry> entries_ GUARDED_BY(mutex_);
};

}  // namespace inferd::cluster
