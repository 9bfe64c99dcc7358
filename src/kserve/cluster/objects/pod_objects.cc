#include "kserve/cluster/objects/pod_objects.h"

#include <memory>

#include "data/manifest/names.h"

namespace inferd::cluster {

namespace {

const kubernetes::Resource& ResourceOf(const std::string& kind) {
  static const kubernetes::Resource secrets = {"", "v1", "Secret", "secrets"};
  static const kubernetes::Resource accounts = {"", "v1", "ServiceAccount", "serviceaccounts"};
  return kind == secrets.kind ? secrets : accounts;
}

}  // namespace

kubernetes::ApiResult<kubernetes::ObjectPointer> ReadPodObject(kubernetes::Client& client, const std::string& kind,
                                                               const kubernetes::ObjectName& name,
                                                               const std::stop_token& stop) {
  // The name comes from an untrusted object. An empty name would address all objects of the namespace, ".." the
  // namespace.
  if (!manifest::CheckSubdomain(name.name).empty()) return nullptr;
  auto read = client.Get(ResourceOf(kind), name, stop);
  if (read.has_value()) return std::make_shared<const manifest::Value>(*std::move(read));
  if (read.error().says_absent(name.name)) return nullptr;
  return std::unexpected(std::move(read).error());
}

kubernetes::ApiResult<kubernetes::ObjectPointer> PodObjects::Find(const std::string& kind,
                                                                  const kubernetes::ObjectName& name,
                                                                  const std::stop_token& stop) {
  const Key key(kind, name);
  const int64_t now_ns = clock_.NowNs();
  {
    const base::MutexLock lock(mutex_);
    const auto found = entries_.find(key);
    if (found != entries_.end() && now_ns - found->second.read_ns < std::chrono::nanoseconds(kAgeMax).count()) {
      return found->second.object;
    }
  }
  auto read = ReadPodObject(client_, kind, name, stop);
  if (!read.has_value()) return read;
  const base::MutexLock lock(mutex_);
  if (entries_.size() >= kObjectsMax) entries_.clear();
  entries_.insert_or_assign(key, Entry{*read, now_ns});
  return read;
}

}  // namespace inferd::cluster
