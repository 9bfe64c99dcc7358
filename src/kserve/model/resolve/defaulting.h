#pragma once

#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"

namespace inferd::model {

// Returns the service, and its document, with the defaults of KServe's mutating webhook (KServe 0.10: InferenceService
// defaults):
//
// - the annotation of the deployment mode, if the configuration's default is not Serverless;
// - `model` instead of a legacy framework, if the framework is the only implementation. `onnx` and `triton` speak v2
//   unless another protocol is set;
// - the name of a custom component's first container, and one CPU and 2Gi of memory where its resources are not set.
//
// If reading the service found problems, the result has the parts that could be read. Thread-safe.
InferenceService ApplyDefaults(const InferenceService& service, const InferenceServiceConfig& config);

// Returns the deployment mode of a service or a graph: its annotation, or the configuration's default if the annotation
// names no mode.
DeploymentMode DeploymentModeOf(const ObjectMeta& metadata, const InferenceServiceConfig& config);
inline DeploymentMode DeploymentModeOf(const InferenceService& service, const InferenceServiceConfig& config) {
  return DeploymentModeOf(service.metadata, config);
}

}  // namespace inferd::model
