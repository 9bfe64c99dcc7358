#include "controlplane/resolve/traffic.h"

#include <algorithm>

namespace inferd::controlplane {

namespace {
constexpr int64_t kAll = 100;
}

std::vector<TrafficTarget> SplitTraffic(std::optional<int64_t> canary_percent,
                                        const std::string& latest_rolled_out_revision, bool tag_routing) {
  if (!canary_percent.has_value() || latest_rolled_out_revision.empty()) {
    return {{.revision = "", .latest = true, .percent = kAll, .tag = ""}};
  }
  std::vector<TrafficTarget> targets = {
      {.revision = "", .latest = true, .percent = *canary_percent, .tag = tag_routing ? "latest" : ""}};
  if (*canary_percent < kAll) {
    targets.push_back(
        {.revision = latest_rolled_out_revision, .latest = false, .percent = kAll - *canary_percent, .tag = "prev"});
  }
  return targets;
}

manifest::Value TrafficDocument(const std::vector<TrafficTarget>& targets) {
  manifest::Value list = manifest::Value::List();
  for (const TrafficTarget& target : targets) {
    manifest::Value& item = list.items().emplace_back(manifest::Value::Map());
    item.Set("latestRevision", manifest::Value::Bool(target.latest));
    if (!target.revision.empty()) item.Set("revisionName", manifest::Value::String(target.revision));
    item.Set("percent", manifest::Value::Int(target.percent));
    if (!target.tag.empty()) item.Set("tag", manifest::Value::String(target.tag));
  }
  return list;
}

Rollout AdvanceRollout(Rollout rollout, const std::string& latest_ready, const std::vector<TrafficTarget>& traffic) {
  rollout.latest_ready = latest_ready;
  const auto has_all = [&](const TrafficTarget& target) { return target.latest && target.percent == kAll; };
  if (latest_ready.empty() || std::ranges::none_of(traffic, has_all)) return rollout;
  if (rollout.latest_rolled_out == latest_ready) return rollout;
  rollout.previous_rolled_out = rollout.latest_rolled_out;
  rollout.latest_rolled_out = latest_ready;
  return rollout;
}

}  // namespace inferd::controlplane
