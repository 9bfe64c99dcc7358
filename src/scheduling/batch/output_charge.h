#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/byte_budget.h"
#include "base/status.h"
#include "core/request/infer_request.h"

namespace inferd::scheduling {

// Smaller outputs are not counted: what a connection has of these is bounded by its own limits.
inline constexpr size_t kChargedOutputBytesMin = 4096;

// Charges the memory of outputs to `budget` until their last user lets go of it: until clients have read their answers,
// or are gone. Data is replaced by slices that hold the charge. RESOURCE_EXHAUSTED: there is no room; `tensors` hold
// nothing afterwards. True: anything was charged.
base::Result<bool> ChargeOutputs(base::ByteBudget& budget, std::vector<core::InferTensor>& tensors);

// Why outputs of so many bytes cannot be kept.
base::Status OutputsRefused(const base::ByteBudget& budget, uint64_t bytes);

}  // namespace inferd::scheduling
