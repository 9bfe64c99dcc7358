#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/cluster/objects/labelled_objects.h"
#include "kserve/cluster/services/served_way.h"
#include "kserve/cluster/services/way_move.h"

namespace inferd::cluster {

// Computes a graph's move to another kind of router, as PlanMove does for a service: to a Knative Service if
// `to_knative`, else to a Deployment. `name` is the graph's name, `served` the way of its live objects `there`. Returns
// nullopt if there is no other router. Pure; thread-safe, like the other functions of this file.
std::optional<WayMove> PlanGraphMove(const std::string& name, const ServedWay& served,
                                     const std::vector<LabelledObject>& there, bool to_knative);

// Removes the objects that would take the graph's name or its hosts from the old router, unless the move finishes.
void LeaveOutNames(const WayMove& move, std::vector<manifest::Value>& objects);

// Returns true if an unwanted object of the graph may be deleted at that step. Knative creates a Service of the graph's
// name, so the old one must go as soon as Knative's pods are ready.
bool GoesAt(const WayMove& move, const LabelledObject& stray);

// Returns true if the graph's router is a Deployment because the cluster had no Knative when it was made, and not
// because its mode was RawDeployment.
bool WasMadeWithoutKnative(const std::string& name, const ServedWay& served, const std::vector<LabelledObject>& there);

}  // namespace inferd::cluster
