#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "data/manifest/value.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/api/serving_runtime.h"

namespace inferd::model {

enum class ComponentKind { kPredictor, kTransformer, kExplainer };

// Returns "predictor", "transformer" or "explainer".
std::string_view ComponentKindName(ComponentKind kind);

// Returns the name of a component's Service and Deployment (KServe 0.10): "digits-predictor-default".
std::string ComponentObjectName(const InferenceService& service, ComponentKind kind);

// The pods of a component, before injection.
struct ResolvedPod {
  ComponentKind kind = ComponentKind::kPredictor;
  ComponentExtension extension;
  manifest::Value pod_spec = manifest::Value::Map();  // the first container is kserve-container
  StringMap labels;                                   // the runtime's, the service's and the component's own
  StringMap annotations;                              // likewise, with settings of agent and initializer
  std::string namespace_name;                         // the service's
  std::string runtime;                                // name; of a predictor with a model
  std::string protocol_version;                       // of a predictor with a model
  std::string explainer;                              // "alibi"; of an explainer with an image
};

// The reason why a component has no pods (KServe 0.10: status.modelStatus.lastFailureInfo, and the event).
struct ResolutionFailure {
  std::string reason;
  std::string message;
  std::string event;
  std::string details = {};  // inferd's own addition; may be empty

  // Returns a failure with the same text in the status and the event.
  static ResolutionFailure Saying(std::string reason, const std::string& text) {
    return {.reason = std::move(reason), .message = text, .event = text};
  }

  // Returns the event's text and the details, in one line.
  std::string Explain() const { return details.empty() ? event : event + ": " + details; }
  bool operator==(const ResolutionFailure&) const = default;
};

// Returns the predictor's pods (KServe 0.10: the predictor's reconciler). `service` must have its defaults. `runtime`
// is the runtime that was selected for the model. Null for a custom predictor, which has its own containers.
//
// The runtime's container is merged with the model's. The model's fields win, and its arguments are appended. Then the
// service's metadata replaces placeholders, and the model's runtimeVersion becomes the image's tag.
std::expected<ResolvedPod, ResolutionFailure> ResolvePredictor(const InferenceService& service,
                                                               const ServingRuntime* runtime);

// Returns the transformer's pods. Its container gets the model's name and the predictor's address as arguments.
ResolvedPod ResolveTransformer(const InferenceService& service, const Component& transformer);

// Returns the explainer's pods. A custom explainer gets the same arguments. Others get an image of the configuration.
std::expected<ResolvedPod, ResolutionFailure> ResolveExplainer(const InferenceService& service,
                                                               const Explainer& explainer,
                                                               const InferenceServiceConfig& config);

}  // namespace inferd::model
