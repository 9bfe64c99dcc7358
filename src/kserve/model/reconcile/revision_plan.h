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

// The state of a component's revisions before planning.
struct RevisionsBefore {
  std::string component;    // "iris-predictor-default"
  std::string service_uid;  // revisions with another uid belong to an earlier service of the same name
  std::vector<LiveRevision> live;
  Rollout rollout;                     // from the service's status
  std::vector<TrafficTarget> traffic;  // from the service's status
};

// The planned state of a component's revisions.
struct RevisionPlan {
  int64_t newest = 1;             // number of the newest revision; the others are not changed
  bool is_new = false;            // true if the newest revision does not exist yet
  std::vector<std::string> kept;  // names of other revisions that requests or a rollback need; delete the rest
  std::string latest_created;
  Rollout rollout;
  std::vector<TrafficTarget> traffic;  // each with its revision's name; empty if none was ready yet, and requests wait
};

// Plans a component's revisions. A new revision is made if `made_of` differs from the newest one's. The latest ready
// revision gets the requests, or the canary's share of them (see SplitTraffic). A revision that is not ready gets none.
// A revision is dropped if neither the plan nor the status, which gateways still follow, sends it requests, and if no
// rollback may need it. Thread-safe.
RevisionPlan PlanRevisions(const RevisionsBefore& before, const std::string& made_of,
                           std::optional<int64_t> canary_percent, bool tag_routing);

// Returns a component's traffic from the service's status. Malformed targets are left out.
std::vector<TrafficTarget> ReadTraffic(const manifest::Value& service, ComponentKind kind);

}  // namespace inferd::model
