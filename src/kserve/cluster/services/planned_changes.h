#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kserve/cluster/guard/change_cause.h"
#include "kserve/cluster/guard/change_guard.h"
#include "kserve/cluster/guard/destruction.h"
#include "kserve/cluster/guard/pace.h"
#include "kserve/cluster/objects/cluster_view.h"
#include "kserve/cluster/objects/object_set.h"
#include "kserve/cluster/services/service_reconciler.h"
#include "kserve/kubernetes/client/client.h"

namespace inferd::cluster {

// Lists the fields that differ: "spec.replicas: 1 -> 2", or "spec.x: 1 ->" if the field is removed. It ignores statuses
// and the metadata that the server updates at each write. Thread-safe.
std::vector<std::string> ChangesBetween(const manifest::Value& before, const manifest::Value& after);

// Computes what a controller would do with a service or a graph. Returns lines for people:
//
//   ~ Deployment models/iris-predictor-default
//       spec.template.spec.containers[0].image: "server:1" -> "server:2"
//   + Service models/iris-predictor-default
//   - Ingress models/iris
//   ! InferenceService models/iris: NoSupportingRuntime: ...
//
//   > InferenceService models/iris starts new pods of Deployment "iris-predictor-default", because ...
//
// Dry runs ask the server for the result of each write. They need the rights to write, and write nothing. `failure` is
// the reason why nothing would be written. Returns the client's errors.
kubernetes::ApiResult<std::vector<std::string>> PlanSet(const ObjectSet& set,
                                                        const std::optional<model::ResolutionFailure>& failure,
                                                        kubernetes::Client& client, const std::stop_token& stop);

// Counts destructive changes of owners by cause.
class Forecast final {
 public:
  // Counts one owner, and returns its line. `is_edited` is true if its document differs from the live one.
  std::string Add(const manifest::Value& owner, const DecisionInputs& inputs, const Destruction& destruction,
                  bool is_edited);
  // Returns one line for each cause, with the number of owners and the rate at which they would change. `kind` is for
  // example "InferenceService".
  std::vector<std::string> Lines(std::string_view kind, size_t owners, const PaceLimits& limits) const;

 private:
  std::map<std::string, size_t> causes_;
};

// Returns the lines of PlanSet, followed by a line about the destructive part of the change, which `forecast` counts.
// `is_edited` is the parameter of Forecast::Add.
kubernetes::ApiResult<std::vector<std::string>> PlanChange(const IntendedChange& change,
                                                           const std::optional<model::ResolutionFailure>& failure,
                                                           bool is_edited, kubernetes::Client& client,
                                                           Forecast& forecast, const std::stop_token& stop);

// True if `object` changes the live object. False if `live` is null.
bool IsEdited(const manifest::Value* live, const manifest::Value& object);

// Returns `object` with the uid and the status of the live object, so that it can replace it. `live` may be null.
manifest::Value InPlaceOf(const manifest::Value* live, manifest::Value object);

// Returns the lines of PlanChange for a service. The service is live, or comes from a file and may replace a live one.
kubernetes::ApiResult<std::vector<std::string>> PlanChanges(const manifest::Value& service, const ClusterView& view,
                                                            const ServiceReconciler& reconciler,
                                                            kubernetes::Client& client, Forecast& forecast,
                                                            const std::stop_token& stop);

}  // namespace inferd::cluster
