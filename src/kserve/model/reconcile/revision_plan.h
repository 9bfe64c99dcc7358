#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/reconcile/revision_objects.h"
#include "kserve/model/resolve/traffic.h"

namespace inferd::model {

// What is known of a component's revisions.
struct RevisionsBefore {
  std::string component;    // "iris-predictor-default"
  std::string service_uid;  // revisions of another are those of an earlier service of that name
  std::vector<LiveRevision> live;
  Rollout rollout;                     // that the service's status has
  std::vector<TrafficTarget> traffic;  // likewise
};

// What a component's revisions are to be.
struct RevisionPlan {
  int64_t newest = 1;             // its number; the others stay as they are
  bool is_new = false;            // it is not there yet
  std::vector<std::string> kept;  // names of the others that requests, or a way back, need; all else is to go
  std::string latest_created;
  Rollout rollout;
  std::vector<TrafficTarget> traffic;  // each has its revision's name; empty: none was ready yet, and requests wait
};

// A revision is new where the newest one is made of something else. The latest that is ready gets the requests, or the
// canary's share of them (SplitTraffic): one that is not ready gets none. One goes when no request comes to it by the
// plan or by the status that gateways still go by, and when it is neither of those that may be rolled back to.
// Thread-safe.
RevisionPlan PlanRevisions(const RevisionsBefore& before, const std::string& made_of,
                           std::optional<int64_t> canary_percent, bool tag_routing);

// The traffic that a service's status has for a component. What is malformed is left out.
std::vector<TrafficTarget> ReadTraffic(const manifest::Value& service, ComponentKind kind);

}  // namespace inferd::model
