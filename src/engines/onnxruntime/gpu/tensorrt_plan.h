#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// The maximum size of a plan, which becomes part of an ONNX model: those have less than 2 GiB.
inline constexpr size_t kPlanBytesMax = (size_t{2} << 30) - (size_t{1} << 20);

// Returns true if the model is a TensorRT plan: model.plan.
bool IsTensorRtPlan(const inferd_load& load, const std::filesystem::path& file);

// Returns an ONNX model that runs the plan in TensorRT's provider: one node of the operator EPContext with the plan in
// it. A plan does not state its inputs and outputs, so `declared` has to: each with its name in the plan, datatype and
// shape. INVALID_ARGUMENT if nothing is declared, or a datatype that TensorRT does not have.
base::Result<std::string> WrapPlan(std::string_view plan, const inferd_signature& declared);

// Calls WrapPlan() for a file. NOT_FOUND, INVALID_ARGUMENT or RESOURCE_EXHAUSTED if it cannot be read, is not a plan,
// or is too large.
base::Result<std::string> ReadPlan(const inferd_load& load, const std::filesystem::path& file);

}  // namespace inferd::onnxruntime
