#include "kserve/local/state/replica_logs.h"

#include <algorithm>

namespace inferd::local {

void ReplicaLogs::Set(const std::string& namespace_name, const std::string& pod,
                      std::shared_ptr<const node::ReplicaLog> log) {
  const base::MutexLock lock(mutex_);
  logs_[{namespace_name, pod}] = std::move(log);
}

void ReplicaLogs::Remove(const std::string& namespace_name, const std::string& pod) {
  const base::MutexLock lock(mutex_);
  logs_.erase({namespace_name, pod});
}

std::shared_ptr<const node::ReplicaLog> ReplicaLogs::Find(std::string_view namespace_name, std::string_view pod) const {
  const base::MutexLock lock(mutex_);
  const auto found = logs_.find({std::string(namespace_name), std::string(pod)});
  return found == logs_.end() ? nullptr : found->second;
}

std::optional<apiserver::LogSpan> ReplicaLogs::FindLog(std::string_view namespace_name, std::string_view pod,
                                                       const apiserver::LogChoice& choice) const {
  const auto log = Find(namespace_name, pod);
  if (log == nullptr) return std::nullopt;
  const auto span = choice.previous ? log->Previous() : log->Current();
  if (!span.has_value()) return std::nullopt;
  const uint64_t begin = choice.since.has_value() ? std::max(span->begin, log->PlaceAt(*choice.since)) : span->begin;
  return apiserver::LogSpan{.begin = begin, .end = span->end};
}

std::optional<apiserver::LogPart> ReplicaLogs::ReadLog(std::string_view namespace_name, std::string_view pod,
                                                       uint64_t offset) const {
  const auto log = Find(namespace_name, pod);
  if (log == nullptr) return std::nullopt;
  node::ReplicaLog::Part part = log->Read(offset);
  apiserver::LogPart found{.text = std::move(part.text), .next = part.next, .ended = part.ended};
  for (const node::ReplicaLog::Moment& moment : part.moments) found.moments.push_back({moment.place, moment.time});
  return found;
}

}  // namespace inferd::local
