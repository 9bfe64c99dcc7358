#include "frontends/oip_grpc/typed_contents_writer.h"

#include <cstddef>
#include <cstring>
#include <string_view>

#include "frontends/oip_grpc/typed_contents_field.h"
#include "tensor/bytes.h"

namespace inferd::oip_grpc {

namespace {

using tensor::DataType;

// Calls take(uint64_t) with each element as its varint has it: negative ones have all 64 bits (protobuf, "Encoding").
template <typename T, typename Take>
void ForEachElement(base::BufferSlice data, Take&& take) {
  for (size_t at = 0; at < data.size(); at += sizeof(T)) {
    T element;
    std::memcpy(&element, data.data() + at, sizeof element);
    take(static_cast<uint64_t>(static_cast<int64_t>(element)));
  }
}

template <typename T>
void WriteVarints(wire::Writer& out, const core::InferTensor& tensor) {
  size_t size = 0;
  ForEachElement<T>(tensor.data, [&size](uint64_t value) { size += wire::VarintSize(value); });
  if (size == 0) return;
  std::byte* at = out.Bytes(ContentsField(tensor.datatype), size);
  ForEachElement<T>(tensor.data, [&at](uint64_t value) { at = wire::PutVarint(at, value); });
}

void WriteBools(wire::Writer& out, const core::InferTensor& tensor) {
  if (tensor.data.empty()) return;
  std::byte* at = out.Bytes(ContentsField(tensor.datatype), tensor.data.size());
  for (const std::byte element : tensor.data.bytes()) *at++ = std::byte{element != std::byte{0}};
}

void WriteBytes(wire::Writer& out, const core::InferTensor& tensor) {
  constexpr uint32_t kTag = wire::Tag(kBytesContents, wire::Type::kBytes);
  const tensor::PackedElements elements(tensor.data.bytes());
  size_t size = 0;
  for (const std::string_view element : elements) {
    size += wire::VarintSize(kTag) + wire::VarintSize(element.size()) + element.size();
  }
  std::byte* at = out.Raw(size);
  for (const std::string_view element : elements) {
    at = wire::PutVarint(wire::PutVarint(at, kTag), element.size());
    if (!element.empty()) std::memcpy(at, element.data(), element.size());
    at += element.size();
  }
}

void WriteElements(wire::Writer& out, const core::InferTensor& tensor) {
  switch (tensor.datatype) {
    case DataType::kBool: return WriteBools(out, tensor);
    case DataType::kInt8: return WriteVarints<int8_t>(out, tensor);
    case DataType::kInt16: return WriteVarints<int16_t>(out, tensor);
    case DataType::kInt32: return WriteVarints<int32_t>(out, tensor);
    case DataType::kInt64: return WriteVarints<int64_t>(out, tensor);
    case DataType::kUint8: return WriteVarints<uint8_t>(out, tensor);
    case DataType::kUint16: return WriteVarints<uint16_t>(out, tensor);
    case DataType::kUint32: return WriteVarints<uint32_t>(out, tensor);
    case DataType::kUint64: return WriteVarints<uint64_t>(out, tensor);
    case DataType::kFp32:
    case DataType::kFp64:
      if (!tensor.data.empty()) out.Slice(ContentsField(tensor.datatype), tensor.data);
      return;
    default: return WriteBytes(out, tensor);
  }
}

}  // namespace

void WriteTypedContents(wire::Writer& out, uint32_t number, const core::InferTensor& tensor) {
  const size_t end = out.size();
  WriteElements(out, tensor);
  out.Message(number, end);
}

}  // namespace inferd::oip_grpc
