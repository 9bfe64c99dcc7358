#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <string>

#include "base/status.h"
#include "kserve/model/api/inference_graph.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::model {

// An InferenceService that a step names.
struct StepService {
  bool there = false;
  std::string url = {};  // its URL within the cluster (status.address.url); empty if it has none yet
};

// Finds an InferenceService in the graph's namespace.
using FindStepService = std::function<StepService(const std::string& name)>;

// The largest size of one container argument (Linux: MAX_ARG_STRLEN, 128 KiB with the final zero byte).
inline constexpr size_t kGraphBytesMax = (size_t{128} << 10) - 1;

// Returns a valid graph as JSON for its router. The text has only the parts of the spec that the router uses, so that
// other changes do not restart its pods. Each step that names a service gets the service's URL. Failures name the step:
// ServiceNotFound, ServiceNotReady, and GraphTooLarge (more than kGraphBytesMax). Thread-safe, as is RouterPod.
std::expected<std::string, ResolutionFailure> RouterGraphJson(const InferenceGraph& graph, const FindStepService& find);

// Returns the pods of a graph's router (KServe 0.10: createKnativeService; the newer fields as in KServe 0.15). Other
// images than inferd's get no readiness probe. INVALID_ARGUMENT if the configuration's resources are invalid.
base::Result<ResolvedPod> RouterPod(const InferenceGraph& graph, const std::string& json,
                                    const InferenceServiceConfig& config);

}  // namespace inferd::model
