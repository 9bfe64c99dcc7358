#pragma once

#include <span>

#include "data/manifest/problem.h"
#include "kserve/model/api/inference_graph.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/serving_runtime.h"
#include "kserve/model/api/trained_model.h"
#include "kserve/model/resolve/storage_uri.h"

// What KServe's validating webhooks refuse, in their words (KServe 0.10), and further rules of ours that KServe leaves
// to fail later, in the cluster. KServe answers with the first problem; all are found here, in its order. Thread-safe.

namespace inferd::model {

// Of a service that has its defaults.
//
// Further: names that are too long for the objects that are made of them; percentages, times and sizes out of range.
manifest::Problems Validate(const InferenceService& service);

// Further: node types and targets that there are not, nodes that lead back to themselves, conditions that gjson::Path
// does not read, replicas and metrics of its router as those of a component, and names that no Service may have: what
// leads to the graph in a cluster has its name.
manifest::Problems Validate(const InferenceGraph& graph);

manifest::Problems Validate(const TrainedModel& model, TrainedModelPlaces places = TrainedModelPlaces::kRemote);

// Of a runtime among the others that there are (KServe 0.11: priorities). `others` may have it, too.
manifest::Problems Validate(const ServingRuntime& runtime, std::span<const ServingRuntime* const> others);

}  // namespace inferd::model
