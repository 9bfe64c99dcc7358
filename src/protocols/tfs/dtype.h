#pragma once

#include <cstdint>
#include <string_view>

#include "data/tensor/data_type.h"

namespace inferd::tfs {

// tensorflow.DataType, numbered as published: the types that our tensors can have.
enum class Dtype : uint8_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  kBfloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kUint32 = 22,
  kUint64 = 23,
};

Dtype DtypeOf(tensor::DataType type);
// Returns kInvalid if tensors cannot have that type here. `number` is the wire's.
tensor::DataType DataTypeOf(uint64_t number);
std::string_view DtypeName(Dtype dtype);  // "DT_FLOAT"

}  // namespace inferd::tfs
