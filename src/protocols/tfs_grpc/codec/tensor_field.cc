#include "protocols/tfs_grpc/codec/tensor_field.h"

#include "data/wire/elements_reader.h"

namespace inferd::tfs_grpc {

namespace {

using tensor::DataType;

struct Field {
  uint32_t number;
  std::string_view name;
};

Field FieldOf(DataType type) {
  switch (type) {
    case DataType::kFp32: return {kFloatVal, "float_val"};
    case DataType::kFp64: return {kDoubleVal, "double_val"};
    case DataType::kBytes: return {kStringVal, "string_val"};
    case DataType::kComplex64: return {kComplexVal, "scomplex_val"};
    case DataType::kComplex128: return {kDoubleComplexVal, "dcomplex_val"};
    case DataType::kInt64: return {10, "int64_val"};
    case DataType::kBool: return {11, "bool_val"};
    case DataType::kFp16:
    case DataType::kBf16: return {13, "half_val"};
    case DataType::kUint32: return {16, "uint32_val"};
    case DataType::kUint64: return {17, "uint64_val"};
    default: return {7, "int_val"};
  }
}

}  // namespace

uint32_t ValueField(DataType type) { return FieldOf(type).number; }

wire::Type NumbersType(uint32_t field) {
  for (const DataType type :
       {DataType::kFp32, DataType::kFp64, DataType::kInt32, DataType::kInt64, DataType::kBool, DataType::kFp16,
        DataType::kUint32, DataType::kUint64, DataType::kComplex64, DataType::kComplex128}) {
    if (ValueField(type) == field) return wire::ElementType(type);
  }
  return wire::Type::kEndGroup;
}

std::string_view ValueFieldName(DataType type) { return FieldOf(type).name; }

}  // namespace inferd::tfs_grpc
