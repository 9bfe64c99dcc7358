#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// The largest plan: an ONNX model, which it becomes a part of, has less than 2 GiB.
inline constexpr size_t kPlanBytesMax = (size_t{2} << 30) - (size_t{1} << 20);

// Whether the model is a plan of TensorRT's: model.plan.
bool IsTensorRtPlan(const inferd_load& load, const std::filesystem::path& file);

// The ONNX model that has TensorRT's provider run the plan: one node of the operator EPContext, with the plan in it. A
// plan does not say what it takes and gives, so `declared` does: each input and output with its name in the plan,
// datatype and shape. INVALID_ARGUMENT: nothing is declared, or a datatype that TensorRT has not.
base::Result<std::string> WrapPlan(std::string_view plan, const inferd_signature& declared);

// WrapPlan of a file. NOT_FOUND, INVALID_ARGUMENT, RESOURCE_EXHAUSTED: it cannot be read, is no plan, or is too large.
base::Result<std::string> ReadPlan(const inferd_load& load, const std::filesystem::path& file);

}  // namespace inferd::onnxruntime
