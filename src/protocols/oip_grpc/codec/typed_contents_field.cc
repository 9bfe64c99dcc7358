#include "protocols/oip_grpc/codec/typed_contents_field.h"

namespace inferd::oip_grpc {

uint32_t ContentsField(tensor::DataType type) {
  using tensor::DataType;
  switch (type) {
    case DataType::kBool: return 1;
    case DataType::kInt8:
    case DataType::kInt16:
    case DataType::kInt32: return 2;
    case DataType::kInt64: return 3;
    case DataType::kUint8:
    case DataType::kUint16:
    case DataType::kUint32: return 4;
    case DataType::kUint64: return 5;
    case DataType::kFp32: return 6;
    case DataType::kFp64: return 7;
    case DataType::kBytes: return kBytesContents;
    default: return 0;
  }
}

std::string_view ContentsFieldName(uint32_t number) {
  constexpr std::string_view kNames[] = {"bool_contents",   "int_contents",  "int64_contents", "uint_contents",
                                         "uint64_contents", "fp32_contents", "fp64_contents",  "bytes_contents"};
  return kNames[number - 1];
}

wire::Type ContentsElementType(uint32_t number) {
  constexpr uint32_t kFp32Contents = 6;
  constexpr uint32_t kFp64Contents = 7;
  if (number == kFp32Contents) return wire::Type::kFixed32;
  if (number == kFp64Contents) return wire::Type::kFixed64;
  if (number == kBytesContents) return wire::Type::kBytes;
  return wire::Type::kVarint;
}

}  // namespace inferd::oip_grpc
