#pragma once

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "data/tensor/bytes.h"
#include "data/tensor/raw.h"
#include "protocols/tfs/dtype.h"
#include "serving/core/request/infer_request.h"
#include "tfs/prediction_service.pb.h"

// A second, slow implementation of the rules of tensor_reader.h, over the generated class.

namespace inferd::fuzz {

struct Expected {
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape shape;
  std::string data;
};

// Returns the elements of one field as bytes of a tensor of T. nullopt if one does not fit.
template <typename T, typename Field>
std::optional<std::string> Elements(const Field& field) {
  std::string data;
  for (const auto value : field) {
    const T element = static_cast<T>(value);
    if constexpr (sizeof(T) < 4 && !std::is_same_v<T, bool>) {
      if (static_cast<decltype(value)>(element) != value) return std::nullopt;
    }
    data.append(reinterpret_cast<const char*>(&element), sizeof element);
  }
  return data;
}

inline std::optional<std::string> Values(const tensorflow::TensorProto& proto, tensor::DataType type) {
  using tensor::DataType;
  switch (type) {
    case DataType::kComplex64: return Elements<float>(proto.scomplex_val());
    case DataType::kComplex128: return Elements<double>(proto.dcomplex_val());
    case DataType::kFp32: return Elements<float>(proto.float_val());
    case DataType::kFp64: return Elements<double>(proto.double_val());
    case DataType::kQint8:
    case DataType::kInt8: return Elements<int8_t>(proto.int_val());
    case DataType::kQint16:
    case DataType::kInt16: return Elements<int16_t>(proto.int_val());
    case DataType::kQint32:
    case DataType::kInt32: return Elements<int32_t>(proto.int_val());
    case DataType::kQuint8:
    case DataType::kUint8: return Elements<uint8_t>(proto.int_val());
    case DataType::kQuint16:
    case DataType::kUint16: return Elements<uint16_t>(proto.int_val());
    case DataType::kInt64: return Elements<int64_t>(proto.int64_val());
    case DataType::kBool: return Elements<bool>(proto.bool_val());
    case DataType::kFp16:
    case DataType::kBf16: return Elements<uint16_t>(proto.half_val());
    case DataType::kUint32: return Elements<uint32_t>(proto.uint32_val());
    case DataType::kUint64: return Elements<uint64_t>(proto.uint64_val());
    default: break;
  }
  std::string data;
  for (const std::string& value : proto.string_val()) {
    const auto size = static_cast<uint32_t>(value.size());
    data.append(reinterpret_cast<const char*>(&size), sizeof size).append(value);
  }
  return data;
}

// Returns nullopt if the tensor must be refused, or if it takes more than `bytes_max` to fill.
inline std::optional<Expected> ExpectedTensor(const tensorflow::TensorProto& proto, uint64_t bytes_max) {
  Expected expected;
  expected.datatype = tfs::DataTypeOf(static_cast<uint32_t>(proto.dtype()));
  if (expected.datatype == tensor::DataType::kInvalid || proto.tensor_shape().unknown_rank()) return std::nullopt;
  if (proto.tensor_shape().dim_size() > static_cast<int>(tensor::kRankMax)) return std::nullopt;
  for (const auto& dim : proto.tensor_shape().dim()) expected.shape.Append(dim.size());
  const auto count = tensor::ElementCount(expected.shape);
  if (!count.has_value() || !tensor::ByteSize(expected.datatype, expected.shape).has_value()) return std::nullopt;
  const bool strings = expected.datatype == tensor::DataType::kBytes;
  if (!proto.tensor_content().empty()) {
    if (strings) return std::nullopt;  // another reader handles these
    expected.data = proto.tensor_content();
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(expected.data.data()),
                                           expected.data.size());
    if (!tensor::CheckRaw(expected.datatype, expected.shape, bytes).ok()) return std::nullopt;
    return expected;
  }
  auto values = Values(proto, expected.datatype);
  if (!values) return std::nullopt;
  const size_t element_size = tensor::ElementSize(expected.datatype);
  if (!strings && values->size() % element_size != 0) return std::nullopt;  // half a complex number
  const size_t given = strings ? static_cast<size_t>(proto.string_val_size()) : values->size() / element_size;
  if (given > *count) return std::nullopt;
  std::string last(strings ? sizeof(uint32_t) : element_size, '\0');
  if (given > 0) {
    const size_t size =
        strings ? sizeof(uint32_t) + proto.string_val(static_cast<int>(given) - 1).size() : element_size;
    last = values->substr(values->size() - size);
  }
  if ((*count - given) > bytes_max / last.size()) return std::nullopt;
  expected.data = *std::move(values);
  for (size_t i = given; i < *count; ++i) expected.data += last;
  return expected;
}

// Serializes with the entries of maps in order.
inline std::string Sorted(const tensorflow::Example& example) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream out(&bytes);
    google::protobuf::io::CodedOutputStream coded(&out);
    coded.SetSerializationDeterministic(true);
    example.SerializeToCodedStream(&coded);
  }
  return bytes;
}

}  // namespace inferd::fuzz
