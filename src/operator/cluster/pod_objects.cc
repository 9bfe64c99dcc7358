#include "operator/cluster/pod_objects.h"

#include <memory>

namespace inferd::operators {

namespace {

const kubernetes::Resource& ResourceOf(const std::string& kind) {
  static const kubernetes::Resource secrets = {"", "v1", "Secret", "secrets"};
  static const kubernetes::Resource accounts = {"", "v1", "ServiceAccount", "serviceaccounts"};
  return kind == secrets.kind ? secrets : accounts;
}

}  // namespace

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
  auto read = client_.Get(ResourceOf(kind), name, stop);
  if (!read.has_value() && !read.error().is_not_found()) return std::unexpected(std::move(read).error());
  kubernetes::ObjectPointer object;
  if (read.has_value()) object = std::make_shared<const manifest::Value>(*std::move(read));
  const base::MutexLock lock(mutex_);
  if (entries_.size() >= kObjectsMax) entries_.clear();
  entries_.insert_or_assign(key, Entry{object, now_ns});
  return object;
}

}  // namespace inferd::operators
