#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "serving/core/model/model_signature.h"
#include "serving/core/scheduler.h"

namespace inferd::scheduling {

// The key of requests that may share an execution: which inputs they bring, with types and shapes without the batch
// dimension (for ragged or padded inputs, only the rank), and the parameters that the engine declares significant. A
// 64-bit hash. If two keys are equal, SharesBatch() decides.
struct BatchKey {
  uint64_t hash = 0;
  bool operator==(const BatchKey&) const = default;
};

// Computes the key. `significant` is EngineModel::significant_parameters().
BatchKey MakeBatchKey(const core::QueuedRequest& queued, const core::ModelSignature& signature,
                      std::span<const std::string> significant);
bool SharesBatch(const core::QueuedRequest& a, const core::QueuedRequest& b, const core::ModelSignature& signature,
                 std::span<const std::string> significant);

}  // namespace inferd::scheduling
