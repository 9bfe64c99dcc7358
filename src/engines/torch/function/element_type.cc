#include "engines/torch/function/element_type.h"

#include "inferd/engine_abi.h"

namespace inferd::torchscript {

namespace {

struct Pair {
  c10::ScalarType type;
  int32_t datatype;
};

constexpr Pair kPairs[] = {{c10::kBool, INFERD_TYPE_BOOL},
                           {c10::kByte, INFERD_TYPE_UINT8},
                           {c10::kUInt16, INFERD_TYPE_UINT16},
                           {c10::kUInt32, INFERD_TYPE_UINT32},
                           {c10::kUInt64, INFERD_TYPE_UINT64},
                           {c10::kChar, INFERD_TYPE_INT8},
                           {c10::kShort, INFERD_TYPE_INT16},
                           {c10::kInt, INFERD_TYPE_INT32},
                           {c10::kLong, INFERD_TYPE_INT64},
                           {c10::kHalf, INFERD_TYPE_FP16},
                           {c10::kBFloat16, INFERD_TYPE_BF16},
                           {c10::kFloat, INFERD_TYPE_FP32},
                           {c10::kDouble, INFERD_TYPE_FP64},
                           {c10::kComplexFloat, INFERD_TYPE_COMPLEX64},
                           {c10::kComplexDouble, INFERD_TYPE_COMPLEX128}};

}  // namespace

int32_t ToDatatype(c10::ScalarType type) {
  for (const Pair& pair : kPairs) {
    if (pair.type == type) return pair.datatype;
  }
  return INFERD_TYPE_INVALID;
}

std::optional<c10::ScalarType> ToElementType(int32_t datatype) {
  for (const Pair& pair : kPairs) {
    if (pair.datatype == datatype) return pair.type;
  }
  return std::nullopt;
}

}  // namespace inferd::torchscript
