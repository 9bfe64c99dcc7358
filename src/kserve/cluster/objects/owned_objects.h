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

// The objects of a cluster that were made for owners of one kind, by the label that names the owner. Thread-safe.
class OwnedObjects final {
 public:
  struct Options {
    std::string label;
    std::vector<std::string> namespaces{};  // that are looked after; empty: all
    // Something of that owner's has changed; called on other threads.
    std::function<void(const kubernetes::ObjectName& owner)> on_owner;
  };

  // The client and the logger outlive it.
  OwnedObjects(kubernetes::Client& client, Options options, base::Logger& logger);
  ~OwnedObjects();
  OwnedObjects(const OwnedObjects&) = delete;
  OwnedObjects& operator=(const OwnedObjects&) = delete;

  // From now on; nothing if it is followed already. `resource`: one of WrittenResources, or Pods.
  void Follow(const kubernetes::Resource& resource);
  // What of that has been listed.
  void Report(SyncReport& report) const;
  bool empty() const { return labelled_.empty(); }
  std::vector<LabelledObject> Of(const kubernetes::ObjectName& owner) const { return labelled_.Of(owner); }
  // Returns whether one of these objects of that kind matches. A kind that a cluster may lack has none until it is
  // followed.
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
