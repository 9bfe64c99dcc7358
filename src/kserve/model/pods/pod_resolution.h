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

// "predictor", "transformer", "explainer".
std::string_view ComponentKindName(ComponentKind kind);

// What a component's Service and Deployment are called (KServe 0.10): "digits-predictor-default".
std::string ComponentObjectName(const InferenceService& service, ComponentKind kind);

// The pods of a component, before anything is injected into them.
struct ResolvedPod {
  ComponentKind kind = ComponentKind::kPredictor;
  ComponentExtension extension;
  manifest::Value pod_spec = manifest::Value::Map();  // the first container is kserve-container
  StringMap labels;                                   // the runtime's, the service's and those that name the component
  StringMap annotations;                              // likewise, and what is asked of the agent and the initializer
  std::string namespace_name;                         // the service's
  std::string runtime;                                // of a predictor that is a model
  std::string protocol_version;                       // likewise
  std::string explainer;                              // "alibi", of an explainer that is an image
};

// Why there are no pods (KServe 0.10: status.modelStatus.lastFailureInfo, and the event).
struct ResolutionFailure {
  std::string reason;
  std::string message;
  std::string event;
  std::string details = {};  // ours: what else there is to say of it; empty: nothing

  // The event says what the status does.
  static ResolutionFailure Saying(std::string reason, const std::string& text) {
    return {.reason = std::move(reason), .message = text, .event = text};
  }

  // All that there is to say in one line: the event's text, and the details.
  std::string Explain() const { return details.empty() ? event : event + ": " + details; }
  bool operator==(const ResolutionFailure&) const = default;
};

// The predictor's pods (KServe 0.10: the predictor's reconciler). `service` has its defaults.
//
// Of a model, the container of `runtime`, which was selected for it, is merged with the model's: the model's fields go
// first, arguments are appended to the runtime's; then placeholders are replaced by the service's metadata, and the
// image's tag by the model's runtimeVersion. `runtime` is null for a custom predictor, which has containers of its own.
std::expected<ResolvedPod, ResolutionFailure> ResolvePredictor(const InferenceService& service,
                                                               const ServingRuntime* runtime);

// The pods of the service's transformer, whose container is told the model's name and the predictor's address.
ResolvedPod ResolveTransformer(const InferenceService& service, const Component& transformer);

// The pods of the service's explainer: custom, and told the same, or an image of the configuration.
std::expected<ResolvedPod, ResolutionFailure> ResolveExplainer(const InferenceService& service,
                                                               const Explainer& explainer,
                                                               const InferenceServiceConfig& config);

}  // namespace inferd::model
