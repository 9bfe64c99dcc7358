#pragma once

#include <span>
#include <string>
#include <vector>

#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/serving_runtime.h"

namespace inferd::model {

// A runtime that was looked at for a model.
struct RuntimeCandidate {
  const ServingRuntime* runtime = nullptr;
  bool supports = false;  // the model could be served by it
  std::string reason;     // why it is not the one that was selected; empty: it is
};

struct RuntimeSelection {
  const ServingRuntime* runtime = nullptr;   // null: none, and the fields of the failure say why
  std::string protocol_version;              // that the model then speaks: its own, or the lowest of the runtime's
  std::vector<RuntimeCandidate> candidates;  // in the order in which they were asked

  // KServe 0.10: status.modelStatus.lastFailureInfo, and the event's text.
  std::string failure_reason;   // RuntimeNotRecognized, RuntimeDisabled, NoSupportingRuntime, InvalidPredictorSpec
  std::string failure_message;  // "No runtime found to support specified framework/version"
  std::string failure_event;    // "no runtime found to support predictor with model type: {sklearn <nil>}"
  // Ours: why it is none of the candidates, those of other formats taken together; empty: there is no more to say.
  std::string failure_details;
};

// Selects the runtime that serves a model of a namespace (KServe 0.10: GetSupportingRuntimes). `runtimes` outlive the
// result; those of other namespaces are left out. Thread-safe.
//
// If the model names a runtime, it is that one, of the namespace before the cluster's; whether its format is for
// automatic selection does not count then. Else the first that supports the model: the namespace's before the
// cluster's, in each by priority for the format (KServe 0.11: higher first, those without last), then by the lowest of
// the protocols, then the newest, then by name.
RuntimeSelection SelectRuntime(const ModelSpec& model, std::string_view namespace_name,
                               std::span<const ServingRuntime* const> runtimes);

}  // namespace inferd::model
