#include "controller/state/replica_logs.h"

namespace inferd::controller {

void ReplicaLogs::Set(const std::string& namespace_name, const std::string& pod,
                      std::shared_ptr<const node::ReplicaLog> log) {
  const base::MutexLock lock(mutex_);
  logs_[{namespace_name, pod}] = std::move(log);
}

void ReplicaLogs::Remove(const std::string& namespace_name, const std::string& pod) {
  const base::MutexLock lock(mutex_);
  logs_.erase({namespace_name, pod});
}

std::optional<apiserver::LogPart> ReplicaLogs::ReadLog(std::string_view namespace_name, std::string_view pod,
                                                       uint64_t offset) const {
  std::shared_ptr<const node::ReplicaLog> log;
  {
    const base::MutexLock lock(mutex_);
    const auto found = logs_.find({std::string(namespace_name), std::string(pod)});
    if (found == logs_.end()) return std::nullopt;
    log = found->second;
  }
  node::ReplicaLog::Part part = log->Read(offset);
  return apiserver::LogPart{.text = std::move(part.text), .next = part.next, .ended = part.ended};
}

}  // namespace inferd::controller
