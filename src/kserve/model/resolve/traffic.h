#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/manifest/value.h"

namespace inferd::model {

// Knative: TrafficTarget, a share of a component's requests.
struct TrafficTarget {
  std::string revision;  // empty: the latest
  bool latest = false;
  int64_t percent = 0;
  std::string tag;  // has a URL of its own; empty: none

  bool operator==(const TrafficTarget&) const = default;
};

// How requests are split between a component's revisions (KServe 0.10: canary rollout). With a canary percentage and a
// revision that was rolled out before, the latest one gets the percentage and that one the rest, under the tag "prev";
// else the latest gets all. 0 percent pins to the one before. `tag_routing`: the latest has the tag "latest".
std::vector<TrafficTarget> SplitTraffic(std::optional<int64_t> canary_percent,
                                        const std::string& latest_rolled_out_revision, bool tag_routing);

// As Knative's `traffic` has it.
manifest::Value TrafficDocument(const std::vector<TrafficTarget>& targets);

// Which revisions a component has rolled out (KServe 0.10: status.components).
struct Rollout {
  std::string latest_ready;         // revision
  std::string latest_rolled_out;    // had all requests
  std::string previous_rolled_out;  // before that

  bool operator==(const Rollout&) const = default;
};

// The revisions of a component, and how its requests are split between them: each target has its revision's name, the
// latest too (Knative: Service status).
struct TrafficStatus {
  std::string latest_created;
  std::string latest_ready;
  std::vector<TrafficTarget> targets;
};

// The rollout after Knative has reported this (KServe 0.10: PropagateStatus). The latest revision is rolled out when it
// is ready and has all requests. Back again: a canary percentage that is set once the latest is rolled out would split
// requests between it and itself, so that the revision before it becomes the one that was rolled out, and the next
// split is with that one.
Rollout AdvanceRollout(Rollout rollout, const TrafficStatus& status);

}  // namespace inferd::model
