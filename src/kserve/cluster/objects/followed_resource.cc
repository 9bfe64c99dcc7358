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
  part.missing = error.is_not_found() && may_be_missing();
  std::string text = error.ToString();
  const base::MutexLock lock(part.mutex);
  if (text == part.told) return;
  part.told = std::move(text);
  logger_.Warning("objects cannot be followed", {{"kind", following_.resource.kind},
                                                 {"api", following_.resource.api_version()},
                                                 {"namespace", part.namespace_name},
                                                 {"why", part.told}});
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
