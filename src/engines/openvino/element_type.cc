#include "engines/openvino/element_type.h"

#include "inferd/engine_abi.h"

namespace inferd::openvino {

int32_t ToDatatype(const ov::element::Type& type) {
  using Type = ov::element::Type_t;
  switch (static_cast<Type>(type)) {
    case Type::boolean: return INFERD_TYPE_BOOL;
    case Type::u8: return INFERD_TYPE_UINT8;
    case Type::u16: return INFERD_TYPE_UINT16;
    case Type::u32: return INFERD_TYPE_UINT32;
    case Type::u64: return INFERD_TYPE_UINT64;
    case Type::i8: return INFERD_TYPE_INT8;
    case Type::i16: return INFERD_TYPE_INT16;
    case Type::i32: return INFERD_TYPE_INT32;
    case Type::i64: return INFERD_TYPE_INT64;
    case Type::f16: return INFERD_TYPE_FP16;
    case Type::bf16: return INFERD_TYPE_BF16;
    case Type::f32: return INFERD_TYPE_FP32;
    case Type::f64: return INFERD_TYPE_FP64;
    default: return INFERD_TYPE_INVALID;
  }
}

}  // namespace inferd::openvino
