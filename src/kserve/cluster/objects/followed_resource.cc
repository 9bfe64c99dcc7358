#include "kserve/cluster/objects/followed_resource.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kserve/cluster/objects/resources.h"

namespace inferd::cluster {

FollowedResource::FollowedResource(kubernetes::Client& client, Following following,
                                   kubernetes::ObjectCache::OnChange on_change, base::Logger& logger)
    : following_(std::move(following)), logger_(logger) {
  std::vector<std::string> namespaces = following_.namespaces;
  if (namespaces.empty() || !following_.resource.namespaced) namespaces = {""};
  for (const std::string& namespace_name : namespaces) {
    Part& part = *parts_.emplace_back(std::make_unique<Part>());
    part.namespace_name = namespace_name;
    kubernetes::ListWatchOptions options;
    options.trim = following_.trim;
    part.informer = std::make_unique<kubernetes::Informer>(
        client, following_.resource,
        kubernetes::Selection{.namespace_name = namespace_name,
                              .label_selector = following_.label_selector,
                              .field_selector = following_.field_selector},
        on_change, [this, &part](const kubernetes::ApiError& error) { Tell(part, error); }, std::move(options));
  }
}

void FollowedResource::RequestStop() {
  for (const auto& part : parts_) part->informer->RequestStop();
}

void FollowedResource::Tell(Part& part, const kubernetes::ApiError& error) const {
  std::string text = error.ToString();
  const bool is_not_found = error.says_not_served() && may_be_missing();
  // Called without the lock, because it asks other objects.
  const Evidence found = is_not_found && following_.evidence ? following_.evidence() : Evidence::kNone;
  const base::MutexLock lock(part.mutex);
  if (is_not_found) {
    part.kind.NotFound(clock_.NowNs(), found);
  } else {
    part.kind.Failed(text);
  }
  part.missing = part.kind.known() == Lookup::Known::kAbsent;
  if (text == part.told) return;
  part.told = std::move(text);
  logger_.Warning("objects cannot be followed", {{"kind", following_.resource.kind},
                                                 {"api", following_.resource.api_version()},
                                                 {"namespace", part.namespace_name},
                                                 {"why", part.told}});
}

void FollowedResource::AddDoubts(std::vector<Doubt>& doubts) const {
  for (const auto& part : parts_) {
    const int failures = part->informer->objects().failures();
    const bool synced = part->informer->objects().synced();
    const base::MutexLock lock(part->mutex);
    if (failures == 0) {
      if (part->told.empty()) continue;
      part->told.clear();
      logger_.Info("objects are followed again", {{"kind", following_.resource.kind},
                                                  {"api", following_.resource.api_version()},
                                                  {"namespace", part->namespace_name}});
    }
    // Report() reports one of several namespaces that cannot be listed.
    const bool has_none = part->missing && !synced;
    if (failures < kFailuresOfDoubt || has_none || (!synced && parts_.size() > 1)) continue;
    std::string about = "list of " + following_.resource.api_version() + " " + following_.resource.kind;
    if (!part->namespace_name.empty()) about += " in " + part->namespace_name;
    doubts.push_back({.about = std::move(about),
                      .text = part->told + (synced ? "; what was listed last counts" : "; the controller waits")});
  }
}

bool FollowedResource::may_be_missing() const {
  return IsOptional(following_.resource) || following_.resource.group == InferenceServices().group;
}

kubernetes::ObjectPointer FollowedResource::Find(const kubernetes::ObjectName& name) const {
  for (const auto& part : parts_) {
    if (auto found = part->informer->objects().Find(name)) return found;
  }
  return nullptr;
}

std::vector<kubernetes::ObjectPointer> FollowedResource::All() const {
  std::vector<kubernetes::ObjectPointer> all;
  for (const auto& part : parts_) std::ranges::move(part->informer->objects().All(), std::back_inserter(all));
  return all;
}

void FollowedResource::Report(SyncReport& report) const {
  for (const auto& part : parts_) {
    if (part->informer->objects().synced() || part->missing) continue;
    const base::MutexLock lock(part->mutex);
    if (parts_.size() == 1 || part->told.empty()) {
      report.waits = true;
    } else {
      report.unreadable.emplace(part->namespace_name, following_.resource.plural + " cannot be listed: " + part->told);
    }
  }
}

bool FollowedResource::synced() const {
  SyncReport report;
  Report(report);
  return !report.waits && report.unreadable.empty();
}

}  // namespace inferd::cluster
