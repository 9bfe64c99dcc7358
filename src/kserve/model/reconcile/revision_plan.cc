#include "kserve/model/reconcile/revision_plan.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "data/manifest/fields.h"
#include "data/manifest/value_path.h"

namespace inferd::model {

namespace {

constexpr int64_t kAll = 100;

bool IsReady(const LiveRevision& revision) { return revision.ready > 0 || revision.settings.initial_scale == 0; }

const LiveRevision* Find(const std::vector<const LiveRevision*>& revisions, const std::string& name) {
  const auto found = std::ranges::find(revisions, name, [](const LiveRevision* each) { return each->name; });
  return found == revisions.end() ? nullptr : *found;
}

// Returns the newest ready revision, but never one older than before. Older revisions may have lost their pods
// meanwhile.
std::string LatestReady(const std::vector<const LiveRevision*>& own, const std::string& before) {
  for (const LiveRevision* revision : std::views::reverse(own)) {
    if (revision->name == before || IsReady(*revision)) return revision->name;
  }
  return "";
}

}  // namespace

RevisionPlan PlanRevisions(const RevisionsBefore& before, const std::string& made_of,
                           std::optional<int64_t> canary_percent, bool tag_routing) {
  RevisionPlan plan;
  std::vector<const LiveRevision*> own;
  int64_t largest = 0;
  for (const LiveRevision& revision : before.live) {
    if (revision.component != before.component) continue;
    largest = std::max(largest, revision.number);
    if (revision.service_uid == before.service_uid) own.push_back(&revision);
  }
  std::ranges::sort(own, {}, [](const LiveRevision* each) { return each->number; });
  plan.is_new = own.empty() || own.back()->made_of != made_of;
  plan.newest = plan.is_new ? largest + 1 : own.back()->number;
  plan.latest_created = RevisionName(before.component, plan.newest);

  const auto known = [&](const std::string& name) { return Find(own, name) == nullptr ? std::string() : name; };
  plan.rollout = {.latest_ready = LatestReady(own, before.rollout.latest_ready),
                  .latest_rolled_out = known(before.rollout.latest_rolled_out),
                  .previous_rolled_out = known(before.rollout.previous_rolled_out)};
  if (!plan.rollout.latest_ready.empty()) {
    for (TrafficTarget target : SplitTraffic(canary_percent, plan.rollout.latest_rolled_out, tag_routing)) {
      if (target.latest) target.revision = plan.rollout.latest_ready;
      plan.traffic.push_back(std::move(target));
    }
    plan.rollout = AdvanceRollout(
        plan.rollout,
        {.latest_created = plan.latest_created, .latest_ready = plan.rollout.latest_ready, .targets = plan.traffic});
  }
  for (const LiveRevision* revision : own) {
    const std::string& name = revision->name;
    const auto leads_to = [&](const std::vector<TrafficTarget>& targets) {
      return std::ranges::find(targets, name, &TrafficTarget::revision) != targets.end();
    };
    const bool needed = leads_to(plan.traffic) || leads_to(before.traffic) || name == plan.rollout.latest_ready ||
                        name == plan.rollout.latest_rolled_out || name == plan.rollout.previous_rolled_out;
    if (needed && name != plan.latest_created) plan.kept.push_back(name);
  }
  return plan;
}

std::vector<TrafficTarget> ReadTraffic(const manifest::Value& service, ComponentKind kind) {
  const manifest::Value* const value =
      manifest::FieldAt(service, {"status", "components", ComponentKindName(kind), "traffic"});
  if (value == nullptr) return {};
  std::vector<TrafficTarget> targets;
  for (const manifest::Value& item : value->items()) {
    const manifest::Value* const latest = item.Find("latestRevision");
    const auto percent = manifest::ParseInt64(manifest::TextAt(item, {"percent"}));
    TrafficTarget target{.revision = manifest::TextAt(item, {"revisionName"}),
                         .latest = latest != nullptr && latest->boolean(),
                         .percent = std::clamp<int64_t>(percent.value_or(0), 0, kAll),
                         .tag = manifest::TextAt(item, {"tag"})};
    if (!target.revision.empty()) targets.push_back(std::move(target));
  }
  return targets;
}

}  // namespace inferd::model
