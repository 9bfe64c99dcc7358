#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "config/ensemble.h"
#include "serving/ensemble/plan.h"
#include "serving/ensemble/plan_check.h"

namespace inferd::ensemble {

// Fills in conditions and defaults of the plan's steps, which are those of `ensemble`. INVALID_ARGUMENT, with step and
// field: a value that is none of the tensor's datatype; a default whose size is not known.
base::Status AddOptions(Plan& plan, const config::Ensemble& ensemble, const TensorTypes& types);

// Returns a default as so many rows of a batch; without a batch dimension if `rows` is nullopt.
core::InferTensor RowsOf(const core::InferTensor& value, std::optional<int64_t> rows);

}  // namespace inferd::ensemble
