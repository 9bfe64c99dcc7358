#pragma once

#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"

namespace inferd::model {

// The service with what KServe's mutating webhook fills in (KServe 0.10: InferenceService defaults), in its document
// too:
//
// - the annotation of the deployment mode, where the configuration's default is not Serverless;
// - `model` in place of a legacy framework, if it is the only implementation: `onnx` and `triton` speak v2 if nothing
//   else is said;
// - the name of the first container of a custom component, and one CPU and 2Gi of memory where its resources are open.
//
// Of a service whose reading found problems, what could be read. Thread-safe.
InferenceService ApplyDefaults(const InferenceService& service, const InferenceServiceConfig& config);

// How a service or a graph is deployed: its annotation, or the configuration's default where that says no mode.
DeploymentMode DeploymentModeOf(const ObjectMeta& metadata, const InferenceServiceConfig& config);
inline DeploymentMode DeploymentModeOf(const InferenceService& service, const InferenceServiceConfig& config) {
  return DeploymentModeOf(service.metadata, config);
}

}  // namespace inferd::model
