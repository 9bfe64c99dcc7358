#include "engines/onnxruntime/library/element_type.h"

#include <array>

#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

namespace {

struct TypeRow {
  std::string_view name;
  int32_t datatype;
};

// Indexed by ONNXTensorElementDataType.
constexpr std::array<TypeRow, 26> kTable = {{{"undefined", INFERD_TYPE_INVALID},
                                             {"float", INFERD_TYPE_FP32},
                                             {"uint8", INFERD_TYPE_UINT8},
                                             {"int8", INFERD_TYPE_INT8},
                                             {"uint16", INFERD_TYPE_UINT16},
                                             {"int16", INFERD_TYPE_INT16},
                                             {"int32", INFERD_TYPE_INT32},
                                             {"int64", INFERD_TYPE_INT64},
                                             {"string", INFERD_TYPE_BYTES},
                                             {"bool", INFERD_TYPE_BOOL},
                                             {"float16", INFERD_TYPE_FP16},
                                             {"double", INFERD_TYPE_FP64},
                                             {"uint32", INFERD_TYPE_UINT32},
                                             {"uint64", INFERD_TYPE_UINT64},
                                             {"complex64", INFERD_TYPE_INVALID},
                                             {"complex128", INFERD_TYPE_INVALID},
                                             {"bfloat16", INFERD_TYPE_BF16},
                                             {"float8e4m3fn", INFERD_TYPE_INVALID},
                                             {"float8e4m3fnuz", INFERD_TYPE_INVALID},
                                             {"float8e5m2", INFERD_TYPE_INVALID},
                                             {"float8e5m2fnuz", INFERD_TYPE_INVALID},
                                             {"uint4", INFERD_TYPE_INVALID},
                                             {"int4", INFERD_TYPE_INVALID},
                                             {"float4e2m1", INFERD_TYPE_INVALID},
                                             {"uint2", INFERD_TYPE_INVALID},
                                             {"int2", INFERD_TYPE_INVALID}}};
static_assert(ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16 == 16 && ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4 == 22);

// A newer library has types that this header does not have: the last three, and possibly more.
const TypeRow& TypeRowOf(ONNXTensorElementDataType type) {
  const auto index = static_cast<size_t>(type);
  return index < kTable.size() ? kTable[index] : kTable[0];
}

}  // namespace

int32_t ToDatatype(ONNXTensorElementDataType type) { return TypeRowOf(type).datatype; }

std::string_view ElementTypeName(ONNXTensorElementDataType type) { return TypeRowOf(type).name; }

}  // namespace inferd::onnxruntime
