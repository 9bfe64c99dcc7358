#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/logging.h"
#include "base/mutex.h"
#include "kserve/cluster/objects/followed_resource.h"
#include "kserve/cluster/objects/labelled_objects.h"
#include "kserve/cluster/objects/lookup.h"

namespace inferd::cluster {

// The objects of a cluster that were made for owners of one kind, indexed by the label that names the owner.
// Thread-safe.
class OwnedObjects final {
 public:
  struct Options {
    std::string label;
    std::vector<std::string> namespaces{};  // to watch; all if empty
    // Called on other threads when an object of that owner has changed.
    std::function<void(const kubernetes::ObjectName& owner)> on_owner;
  };

  // The client and the logger must outlive this.
  OwnedObjects(kubernetes::Client& client, Options options, base::Logger& logger);
  ~OwnedObjects();
  OwnedObjects(const OwnedObjects&) = delete;
  OwnedObjects& operator=(const OwnedObjects&) = delete;

  // Starts to watch a kind, if that has not been done. `resource` must be one of WrittenResources, or Pods.
  void Follow(const kubernetes::Resource& resource);
  // Adds the state of the lists.
  void Report(SyncReport& report) const;
  void AddDoubts(std::vector<Doubt>& doubts) const;
  bool empty() const { return labelled_.empty(); }
  std::vector<LabelledObject> Of(const kubernetes::ObjectName& owner) const { return labelled_.Of(owner); }
  // Returns the evidence of the objects of that kind that match. A kind that a cluster may lack gives no evidence until
  // it is watched.
  using Matches = std::function<bool(const manifest::Value&)>;
  Evidence EvidenceOf(const kubernetes::Resource& resource, const Matches& matches) const;

 private:
  kubernetes::Client& client_;
  const Options options_;
  base::Logger& logger_;
  LabelledObjects labelled_;
  mutable base::Mutex mutex_;
  std::map<const kubernetes::Resource*, std::unique_ptr<FollowedResource>> followed_ GUARDED_BY(mutex_);
};

}  // namespace inferd::cluster
