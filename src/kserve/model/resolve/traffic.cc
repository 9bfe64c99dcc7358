#include "kserve/model/resolve/traffic.h"

#include <algorithm>

namespace inferd::model {

namespace {
constexpr int64_t kAllPercent = 100;
}

std::vector<TrafficTarget> SplitTraffic(std::optional<int64_t> canary_percent,
                                        const std::string& latest_rolled_out_revision, bool tag_routing) {
  if (!canary_percent.has_value() || latest_rolled_out_revision.empty()) {
    return {{.revision = "", .latest = true, .percent = kAllPercent, .tag = ""}};
  }
  std::vector<TrafficTarget> targets = {
      {.revision = "", .latest = true, .percent = *canary_percent, .tag = tag_routing ? "latest" : ""}};
  if (*canary_percent < kAllPercent) {
    targets.push_back({.revision = latest_rolled_out_revision,
                       .latest = false,
                       .percent = kAllPercent - *canary_percent,
                       .tag = "prev"});
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

Rollout AdvanceRollout(Rollout rollout, const TrafficStatus& status) {
  const auto latest = std::ranges::find_if(status.targets, [&](const TrafficTarget& target) {
    return target.latest && target.revision == status.latest_ready;
  });
  rollout.latest_ready = status.latest_ready;
  if (status.latest_ready.empty() || latest == status.targets.end()) return rollout;
  if (rollout.latest_rolled_out != status.latest_ready) {
    if (latest->percent < kAllPercent) return rollout;
    rollout.previous_rolled_out = rollout.latest_rolled_out;
    rollout.latest_rolled_out = status.latest_ready;
    return rollout;
  }
  int64_t percent = 0;
  for (const TrafficTarget& target : status.targets) {
    if (target.revision == status.latest_ready) percent += target.percent;
  }
  const bool split_with_itself = latest->percent < kAllPercent && percent == kAllPercent;
  if (split_with_itself && status.latest_ready == status.latest_created && !rollout.previous_rolled_out.empty()) {
    rollout.latest_rolled_out = rollout.previous_rolled_out;
  }
  return rollout;
}

}  // namespace inferd::model
