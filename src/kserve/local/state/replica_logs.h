#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "kserve/apiserver/logs/log_source.h"
#include "kserve/node/replica_log.h"

namespace inferd::local {

// The logs of the current replicas, by namespace and pod, for the API. Thread-safe.
class ReplicaLogs final : public apiserver::LogSource {
 public:
  void Set(const std::string& namespace_name, const std::string& pod, std::shared_ptr<const node::ReplicaLog> log);
  void Remove(const std::string& namespace_name, const std::string& pod);

  std::optional<apiserver::LogPart> ReadLog(std::string_view namespace_name, std::string_view pod,
                                            uint64_t offset) const override;
  std::optional<apiserver::LogSpan> FindLog(std::string_view namespace_name, std::string_view pod,
                                            const apiserver::LogChoice& choice) const override;

 private:
  std::shared_ptr<const node::ReplicaLog> Find(std::string_view namespace_name, std::string_view pod) const;

  mutable base::Mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const node::ReplicaLog>> logs_ GUARDED_BY(mutex_);
};

}  // namespace inferd::local
