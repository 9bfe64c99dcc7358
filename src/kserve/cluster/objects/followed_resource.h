#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/logging.h"
#include "base/mutex.h"
#include "kserve/kubernetes/watch/informer.h"

namespace inferd::cluster {

// What is followed, and where.
struct Following {
  kubernetes::Resource resource;
  std::vector<std::string> namespaces{};  // empty: all
  std::string label_selector{};
  std::string field_selector{};
  std::function<void(manifest::Value&)> trim{};
};

// What of a cluster has been listed.
struct SyncReport {
  bool waits = false;                             // something has not been listed yet
  std::map<std::string, std::string> unreadable;  // namespaces in which something cannot be listed, and why
};

// The objects of a resource, in all namespaces that are looked after, each by an informer of its own. Thread-safe.
class FollowedResource final {
 public:
  // `on_change` is called on the informers' threads. The client and the logger outlive it.
  FollowedResource(kubernetes::Client& client, Following following, kubernetes::ObjectCache::OnChange on_change,
                   base::Logger& logger);

  // Its end begins; the destructor waits for it.
  void RequestStop();

  kubernetes::ObjectPointer Find(const kubernetes::ObjectName& name) const;
  std::vector<kubernetes::ObjectPointer> All() const;
  // Adds what has been listed. A kind that the cluster does not have has no objects; Kubernetes' own kinds are in each
  // cluster, so that a 404 of one of them says nothing. One of several namespaces that cannot be listed is no reason to
  // wait.
  void Report(SyncReport& report) const;
  // All that there is has been listed.
  bool synced() const;
  const kubernetes::Resource& resource() const { return following_.resource; }

 private:
  // A kind that a cluster need not have: of an API that is looked for, or of a definition that may come later.
  bool may_be_missing() const;

  struct Part {
    std::atomic<bool> missing = false;  // the server does not know the kind
    std::string namespace_name;
    mutable base::Mutex mutex;
    std::string told GUARDED_BY(mutex);  // the last trouble
    std::unique_ptr<kubernetes::Informer> informer;
  };

  void Tell(Part& part, const kubernetes::ApiError& error) const;

  const Following following_;
  base::Logger& logger_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace inferd::cluster
