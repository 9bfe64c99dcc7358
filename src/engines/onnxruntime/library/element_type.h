#pragma once

#include <onnxruntime_c_api.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace inferd::onnxruntime {

// The inferd_datatype of an ONNX element type; INFERD_TYPE_INVALID for those that no protocol of ours has (complex,
// 8-bit floats, 4-bit integers).
int32_t ToDatatype(ONNXTensorElementDataType type);

// As ONNX spells it: "float8e5m2".
std::string_view ElementTypeName(ONNXTensorElementDataType type);

}  // namespace inferd::onnxruntime
