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

// The Secret or the ServiceAccount of that name, of which credentials of pods are made. Null: there is none, or none
// can have that name. Errors are the client's. Thread-safe; blocks.
kubernetes::ApiResult<kubernetes::ObjectPointer> ReadPodObject(kubernetes::Client& client, const std::string& kind,
                                                               const kubernetes::ObjectName& name,
                                                               const std::stop_token& stop);

// Secrets and ServiceAccounts, of which credentials of pods are made. They are asked for one by one, so that nothing
// but to get them needs a right; what was read counts for some time, since the services of a namespace share them.
// Secrets: they are in no message. Thread-safe; calls block.
class PodObjects final {
 public:
  static constexpr std::chrono::seconds kAgeMax{30};
  static constexpr size_t kObjectsMax = 4096;

  // Both outlive it.
  PodObjects(kubernetes::Client& client, const base::Clock& clock) : client_(client), clock_(clock) {}

  // `kind`: "Secret", "ServiceAccount". Null: there is none. Errors are the client's.
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
