#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "serving/core/model/model_signature.h"
#include "serving/core/scheduler.h"

namespace inferd::scheduling {

// Requests of one version may share an execution if their keys are equal: which inputs they bring, the types and shapes
// without the batch dimension (of inputs that are ragged or padded, only the rank), and the parameters that the engine
// declares significant. 64 bits of a hash; SharesBatch() decides where two are equal.
struct BatchKey {
  uint64_t hash = 0;
  bool operator==(const BatchKey&) const = default;
};

// `significant`: EngineModel::significant_parameters().
BatchKey MakeBatchKey(const core::QueuedRequest& queued, const core::ModelSignature& signature,
                      std::span<const std::string> significant);
bool SharesBatch(const core::QueuedRequest& a, const core::QueuedRequest& b, const core::ModelSignature& signature,
                 std::span<const std::string> significant);

}  // namespace inferd::scheduling
