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

// What is known of an InferenceService that a step names.
struct StepService {
  bool there = false;
  std::string url = {};  // where it is asked within the cluster (status.address.url); empty: nowhere yet
};

// Of the graph's namespace.
using FindStepService = std::function<StepService(const std::string& name)>;

// What one argument of a container may have (Linux: MAX_ARG_STRLEN, 128 KiB with the zero at its end).
inline constexpr size_t kGraphBytesMax = (size_t{128} << 10) - 1;

// A valid graph as its router is given it, JSON: of the spec what the router goes by, so that no other change starts
// its pods anew, and of each step the URL of the service that it names. Failures name the step, and are
// ServiceNotFound, ServiceNotReady, and GraphTooLarge: more than kGraphBytesMax. Thread-safe, as is the other.
std::expected<std::string, ResolutionFailure> RouterGraphJson(const InferenceGraph& graph, const FindStepService& find);

// The pods of a graph's router (KServe 0.10: createKnativeService; its later fields as in KServe 0.15), without a
// readiness probe where the image is not inferd's. INVALID_ARGUMENT: the configuration's resources.
base::Result<ResolvedPod> RouterPod(const InferenceGraph& graph, const std::string& json,
                                    const InferenceServiceConfig& config);

}  // namespace inferd::model
