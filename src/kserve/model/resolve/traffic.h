#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/manifest/value.h"

namespace inferd::model {

// Knative: TrafficTarget. A revision's share of a component's requests.
struct TrafficTarget {
  std::string revision;  // empty for the latest
  bool latest = false;
  int64_t percent = 0;
  std::string tag;  // name of an extra URL for this target; empty for none

  bool operator==(const TrafficTarget&) const = default;
};

// Returns how requests are split between a component's revisions (KServe 0.10: canary rollout). If there is a canary
// percentage and an earlier rolled-out revision, the latest revision gets the percentage. The earlier revision gets the
// rest, under the tag "prev". Otherwise the latest gets all. 0 percent pins all requests to the earlier revision. With
// `tag_routing`, the latest has the tag "latest".
std::vector<TrafficTarget> SplitTraffic(std::optional<int64_t> canary_percent,
                                        const std::string& latest_rolled_out_revision, bool tag_routing);

// Returns the targets as Knative's `traffic` field.
manifest::Value TrafficDocument(const std::vector<TrafficTarget>& targets);

// The revisions that a component has rolled out (KServe 0.10: status.components).
struct Rollout {
  std::string latest_ready;         // newest ready revision
  std::string latest_rolled_out;    // revision that last got all requests
  std::string previous_rolled_out;  // the one that was rolled out before

  bool operator==(const Rollout&) const = default;
};

// A component's revisions, and the split of its requests. Each target has its revision's name, the latest too (Knative:
// Service status).
struct TrafficStatus {
  std::string latest_created;
  std::string latest_ready;
  std::vector<TrafficTarget> targets;
};

// Returns the rollout after Knative has reported `status` (KServe 0.10: PropagateStatus). The latest revision is rolled
// out when it is ready and gets all requests. A canary percentage that is set after that would split requests between
// this revision and itself. In this case the rollout steps back: the previous revision becomes the rolled-out one, and
// gets its share at the next split.
Rollout AdvanceRollout(Rollout rollout, const TrafficStatus& status);

}  // namespace inferd::model
