#include "kserve/cluster/objects/owned_objects.h"

#include <utility>

#include "kserve/cluster/objects/trim.h"

namespace inferd::cluster {

OwnedObjects::OwnedObjects(kubernetes::Client& client, Options options, base::Logger& logger)
    : client_(client), options_(std::move(options)), logger_(logger), labelled_(options_.label) {}

OwnedObjects::~OwnedObjects() {
  // Requests all stops first, so that the threads end in parallel.
  const base::MutexLock lock(mutex_);
  for (const auto& [resource, followed] : followed_) followed->RequestStop();
}

void OwnedObjects::Follow(const kubernetes::Resource& resource) {
  const base::MutexLock lock(mutex_);
  std::unique_ptr<FollowedResource>& followed = followed_[&resource];
  if (followed != nullptr) return;
  followed = std::make_unique<FollowedResource>(
      client_,
      Following{.resource = resource,
                .namespaces = options_.namespaces,
                .label_selector = options_.label,
                .trim = resource == Pods() ? TrimPod : TrimManagedFields},
      [this, &resource](const kubernetes::ObjectCache::Change& change) {
        for (const kubernetes::ObjectName& owner : labelled_.Note(resource, change)) options_.on_owner(owner);
      },
      logger_);
}

void OwnedObjects::Report(SyncReport& report) const {
  const base::MutexLock lock(mutex_);
  for (const auto& [resource, followed] : followed_) followed->Report(report);
}

void OwnedObjects::AddDoubts(std::vector<Doubt>& doubts) const {
  const base::MutexLock lock(mutex_);
  for (const auto& [resource, followed] : followed_) followed->AddDoubts(doubts);
}

Evidence OwnedObjects::EvidenceOf(const kubernetes::Resource& resource, const Matches& matches) const {
  if (labelled_.Any(resource, matches)) return Evidence::kContradicting;
  const base::MutexLock lock(mutex_);
  for (const auto& [each, followed] : followed_) {
    if (*each != resource) continue;
    // A namespace that cannot be listed is not reconciled. Its objects give evidence once it can be listed.
    SyncReport report;
    followed->Report(report);
    return report.waits ? Evidence::kUnread : Evidence::kNone;
  }
  return IsOptional(resource) ? Evidence::kNone : Evidence::kUnread;
}

}  // namespace inferd::cluster
