#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kserve/cluster/objects/cluster_view.h"
#include "kserve/cluster/objects/object_set.h"
#include "kserve/cluster/services/service_reconciler.h"
#include "kserve/kubernetes/client/client.h"

namespace inferd::cluster {

// Which fields of an object are others afterwards: "spec.replicas: 1 -> 2", "spec.x: 1 ->" where it goes. What a server
// keeps of each write, and statuses, do not count. Thread-safe.
std::vector<std::string> ChangesBetween(const manifest::Value& before, const manifest::Value& after);

// What a controller would do with a service or a graph, as lines for people:
//
//   ~ Deployment models/iris-predictor-default
//       spec.template.spec.containers[0].image: "server:1" -> "server:2"
//   + Service models/iris-predictor-default
//   - Ingress models/iris
//   ! InferenceService models/iris: NoSupportingRuntime: ...
//
// The server is asked what a write would make of each object, by dry runs, which need the rights to write. Nothing is
// written. `failure`: why nothing is to be done. Errors are the client's.
kubernetes::ApiResult<std::vector<std::string>> PlanSet(const ObjectSet& set,
                                                        const std::optional<model::ResolutionFailure>& failure,
                                                        kubernetes::Client& client, const std::stop_token& stop);

// An object of a file in the place of the live one (null: there is none): what the cluster knows of it stays.
manifest::Value InPlaceOf(const manifest::Value* live, manifest::Value object);

// PlanSet for a service, a live one, or one of a file, which may be in the place of a live one.
kubernetes::ApiResult<std::vector<std::string>> PlanChanges(const manifest::Value& service, const ClusterView& view,
                                                            const ServiceReconciler& reconciler,
                                                            kubernetes::Client& client, const std::stop_token& stop);

}  // namespace inferd::cluster
