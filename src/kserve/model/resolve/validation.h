#pragma once

#include <span>

#include "data/manifest/problem.h"
#include "kserve/model/api/inference_graph.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/serving_runtime.h"
#include "kserve/model/api/trained_model.h"
#include "kserve/model/resolve/storage_uri.h"

// Validation with the rules and words of KServe's validating webhooks (KServe 0.10). Rules of inferd's own refuse
// errors that KServe would only report later, in the cluster. KServe answers with the first problem. Here all are
// found, in KServe's order. Thread-safe.

namespace inferd::model {

// Validates a service, which must have its defaults.
//
// Own rules: names that are too long for the objects made from them; percentages, times and sizes out of range.
manifest::Problems Validate(const InferenceService& service);

// Validates a graph. Own rules: unknown node types and targets, cycles of nodes, conditions that gjson::Path cannot
// parse, replicas and metrics of the router (as for a component), and names that no Service may have, because the
// graph's Service in a cluster has its name.
manifest::Problems Validate(const InferenceGraph& graph);

manifest::Problems Validate(const TrainedModel& model, TrainedModelPlaces places = TrainedModelPlaces::kRemote);

// Validates a runtime against the other runtimes (KServe 0.11: priorities). `others` may contain the runtime itself.
manifest::Problems Validate(const ServingRuntime& runtime, std::span<const ServingRuntime* const> others);

}  // namespace inferd::model
