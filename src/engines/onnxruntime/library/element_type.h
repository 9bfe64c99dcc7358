#pragma once

#include <onnxruntime_c_api.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace inferd::onnxruntime {

// Returns the inferd_datatype of an ONNX element type, or INFERD_TYPE_INVALID for types that none of our protocols has
// (complex, 8-bit floats, 4-bit integers).
int32_t ToDatatype(ONNXTensorElementDataType type);

// Returns ONNX's spelling: "float8e5m2".
std::string_view ElementTypeName(ONNXTensorElementDataType type);

}  // namespace inferd::onnxruntime
