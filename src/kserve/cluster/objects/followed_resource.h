#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/logging.h"
#include "base/mutex.h"
#include "kserve/cluster/objects/lookup.h"
#include "kserve/kubernetes/watch/informer.h"

namespace inferd::cluster {

// The objects to watch, and their namespaces.
struct Following {
  kubernetes::Resource resource;
  std::vector<std::string> namespaces{};  // all if empty
  std::string label_selector{};
  std::string field_selector{};
  std::function<void(manifest::Value&)> trim{};
  // Returns the evidence that other objects give about a kind that was not found. Called on the informers' threads. May
  // be empty.
  std::function<Evidence()> evidence{};
};

// The state of the lists.
struct SyncReport {
  bool waits = false;                             // at least one list is not complete yet
  std::map<std::string, std::string> unreadable;  // namespaces in which a list fails, with the reason
};

// The objects of a resource in all namespaces to reconcile. Each namespace has an informer of its own. Thread-safe.
class FollowedResource final {
 public:
  // `on_change` is called on the informers' threads. The client and the logger must outlive this.
  FollowedResource(kubernetes::Client& client, Following following, kubernetes::ObjectCache::OnChange on_change,
                   base::Logger& logger);

  // Requests a stop of the informers. The destructor waits for their end.
  void RequestStop();

  kubernetes::ObjectPointer Find(const kubernetes::ObjectName& name) const;
  std::vector<kubernetes::ObjectPointer> All() const;
  // Adds the state of the lists. If Lookup says that the cluster lacks the kind, its list counts as complete and empty.
  // A 404 for one of Kubernetes' own kinds has no meaning, because every cluster has them. If one of several namespaces
  // cannot be listed, the report does not wait for it.
  void Report(SyncReport& report) const;
  // Adds a doubt for each list that the server failed to answer, or refused, several times in a row. Called by one
  // thread.
  void AddDoubts(std::vector<Doubt>& doubts) const;
  // True if all lists are complete.
  bool synced() const;
  const kubernetes::Resource& resource() const { return following_.resource; }

 private:
  static constexpr int kFailuresOfDoubt = 3;  // a server that restarts causes one or two failures

  // True if a cluster may lack the kind: its API is optional, or its definition may be installed later.
  bool may_be_missing() const;

  struct Part {
    std::atomic<bool> missing = false;  // the cluster does not have the kind
    std::string namespace_name;
    mutable base::Mutex mutex;
    std::string told GUARDED_BY(mutex);  // the last trouble; empty: there is none
    Lookup kind GUARDED_BY(mutex);
    std::unique_ptr<kubernetes::Informer> informer;
  };

  void Tell(Part& part, const kubernetes::ApiError& error) const;

  const Following following_;
  base::Logger& logger_;
  const base::SystemClock clock_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace inferd::cluster
