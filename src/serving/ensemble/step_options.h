#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "config/ensemble.h"
#include "serving/ensemble/plan.h"
#include "serving/ensemble/plan_check.h"

namespace inferd::ensemble {

// Fills in conditions and defaults of the plan's steps from `ensemble`. INVALID_ARGUMENT, with step and field, if a
// value does not fit the tensor's datatype, or the size of a default is not known.
base::Status AddOptions(Plan& plan, const config::Ensemble& ensemble, const TensorTypes& types);

// Returns a default as `rows` rows of a batch; without a batch dimension if `rows` is nullopt.
core::InferTensor RowsOf(const core::InferTensor& value, std::optional<int64_t> rows);

}  // namespace inferd::ensemble
