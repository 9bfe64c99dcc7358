#include "data/wire/elements_writer.h"

#include <cstddef>
#include <cstring>
#include <string_view>

#include "data/tensor/bytes.h"

namespace inferd::wire {

namespace {

using tensor::DataType;

// Calls take(uint64_t) with each element in its varint form: negative ones have all 64 bits (protobuf, "Encoding").
template <typename T, typename Take>
void ForEachElement(const base::BufferSlice& data, Take&& take) {
  for (size_t at = 0; at < data.size(); at += sizeof(T)) {
    T element;
    std::memcpy(&element, data.data() + at, sizeof element);
    take(static_cast<uint64_t>(static_cast<int64_t>(element)));
  }
}

template <typename T>
void WriteVarints(Writer& out, uint32_t number, const base::BufferSlice& data) {
  size_t size = 0;
  ForEachElement<T>(data, [&size](uint64_t value) { size += VarintSize(value); });
  if (size == 0) return;
  std::byte* at = out.Bytes(number, size);
  ForEachElement<T>(data, [&at](uint64_t value) { at = PutVarint(at, value); });
}

void WriteBools(Writer& out, uint32_t number, const base::BufferSlice& data) {
  if (data.empty()) return;
  std::byte* at = out.Bytes(number, data.size());
  for (const std::byte element : data.bytes()) *at++ = std::byte{element != std::byte{0}};
}

void WriteBytes(Writer& out, uint32_t number, const base::BufferSlice& data) {
  const uint32_t field = Tag(number, Type::kBytes);
  const tensor::PackedElements elements(data.bytes());
  size_t size = 0;
  for (const std::string_view element : elements) {
    size += VarintSize(field) + VarintSize(element.size()) + element.size();
  }
  std::byte* at = out.Raw(size);
  for (const std::string_view element : elements) {
    at = PutVarint(PutVarint(at, field), element.size());
    if (!element.empty()) std::memcpy(at, element.data(), element.size());
    at += element.size();
  }
}

}  // namespace

void WriteElements(Writer& out, uint32_t number, DataType type, const base::BufferSlice& data) {
  switch (type) {
    case DataType::kBool: return WriteBools(out, number, data);
    case DataType::kQint8:
    case DataType::kInt8: return WriteVarints<int8_t>(out, number, data);
    case DataType::kQint16:
    case DataType::kInt16: return WriteVarints<int16_t>(out, number, data);
    case DataType::kQint32:
    case DataType::kInt32: return WriteVarints<int32_t>(out, number, data);
    case DataType::kInt64: return WriteVarints<int64_t>(out, number, data);
    case DataType::kQuint8:
    case DataType::kUint8: return WriteVarints<uint8_t>(out, number, data);
    case DataType::kFp16:
    case DataType::kBf16:
    case DataType::kQuint16:
    case DataType::kUint16: return WriteVarints<uint16_t>(out, number, data);
    case DataType::kUint32: return WriteVarints<uint32_t>(out, number, data);
    case DataType::kUint64: return WriteVarints<uint64_t>(out, number, data);
    case DataType::kFp32:
    case DataType::kFp64:
    case DataType::kComplex64:
    case DataType::kComplex128:
      if (!data.empty()) out.Slice(number, data);
      return;
    default: return WriteBytes(out, number, data);
  }
}

}  // namespace inferd::wire
