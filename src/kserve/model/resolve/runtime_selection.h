#pragma once

#include <span>
#include <string>
#include <vector>

#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/serving_runtime.h"

namespace inferd::model {

// A runtime that was considered for a model.
struct RuntimeCandidate {
  const ServingRuntime* runtime = nullptr;
  bool supports = false;  // true if the runtime could serve the model
  std::string reason;     // why it was not selected; empty if it was
};

struct RuntimeSelection {
  const ServingRuntime* runtime = nullptr;   // null if none was selected; the failure fields say why
  std::string protocol_version;              // the model's own, or the lowest of the runtime's
  std::vector<RuntimeCandidate> candidates;  // in the order of evaluation

  // KServe 0.10: status.modelStatus.lastFailureInfo, and the event's text.
  std::string failure_reason;   // RuntimeNotRecognized, RuntimeDisabled, NoSupportingRuntime, InvalidPredictorSpec
  std::string failure_message;  // "No runtime found to support specified framework/version"
  std::string failure_event;    // "no runtime found to support predictor with model type: {sklearn <nil>}"
  // inferd's own addition: why each candidate was refused, with the runtimes of other formats summed up. Empty if there
  // is nothing to add.
  std::string failure_details;
};

// Selects the runtime for a model of a namespace (KServe 0.10: GetSupportingRuntimes). `runtimes` must outlive the
// result. Runtimes of other namespaces are ignored. Thread-safe.
//
// If the model names a runtime, only that one is considered, the namespace's before the cluster's, whatever its
// autoSelect says. Otherwise the first supporting runtime in this order is selected: the namespace's before the
// cluster's, then by priority for the format (KServe 0.11: higher first, none last), then by the lowest protocol
// version, then the newest, then by name.
RuntimeSelection SelectRuntime(const ModelSpec& model, std::string_view namespace_name,
                               std::span<const ServingRuntime* const> runtimes);

}  // namespace inferd::model
