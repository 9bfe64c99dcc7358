#include "data/tensorjson/parse.h"

#include <algorithm>
#include <new>
#include <string>

#include "data/tensor/raw.h"
#include "data/tensorjson/bytes_codec.h"
#include "data/tensorjson/data_parser.h"
#include "data/tensorjson/number_codec.h"

namespace inferd::tensorjson {

using tensor::DataType;

namespace {

struct Parsed {
  base::Buffer tensor;
  size_t text_size;  // size of the array in bytes
};

// Allocates memory for a client's data, which may fail.
base::Result<base::Buffer> Allocate(size_t bytes) {
  try {
    return base::Buffer::Allocate(bytes);
  } catch (const std::bad_alloc&) {
    return std::unexpected(base::ResourceExhausted("no memory for " + std::to_string(bytes) + " bytes of data"));
  }
}

base::Result<Parsed> Refuse(const base::Status& status, DataFault kind, DataFault* fault) {
  if (fault != nullptr) *fault = kind;
  return std::unexpected(status);
}

template <typename Codec>
base::Result<Parsed> ParseWith(Codec codec, std::string_view text, const tensor::Shape& shape, DataFault* fault) {
  using Out = typename Codec::Out;
  INFERD_ASSIGN_OR_RETURN(const size_t count, tensor::ElementCount(shape));
  // Each element takes at least one character, and a separator.
  const size_t room = std::min(count, text.size() / 2);
  INFERD_ASSIGN_OR_RETURN(base::Buffer buffer, Allocate(room * sizeof(Out)));
  DataParser<Codec> parser(codec, shape, count, reinterpret_cast<Out*>(buffer.data()));
  const base::Result<size_t> text_size = parser.Parse(text);
  if (!text_size.has_value()) return Refuse(text_size.error(), parser.fault(), fault);
  return Parsed{std::move(buffer), *text_size};
}

// `text` is the whole array.
base::Result<Parsed> ParseBytes(std::string_view text, const tensor::Shape& shape, const ParseOptions& options) {
  INFERD_ASSIGN_OR_RETURN(const size_t count, tensor::ElementCount(shape));
  // Besides its content, an element takes at least three characters (quotes and a separator), and four bytes packed.
  const size_t room = text.size() + std::min(count, text.size() / 3);
  INFERD_ASSIGN_OR_RETURN(base::Buffer buffer, Allocate(room));
  BytesCodec codec(options.base64);
  DataParser<BytesCodec> parser(codec, shape, count, reinterpret_cast<char*>(buffer.data()));
  const base::Result<size_t> text_size = parser.Parse(text);
  if (!text_size.has_value()) return Refuse(text_size.error(), parser.fault(), options.fault);
  buffer.Truncate(static_cast<size_t>(parser.out() - reinterpret_cast<char*>(buffer.data())));
  return Parsed{std::move(buffer), *text_size};
}

base::Result<Parsed> ParseArray(std::string_view text, DataType type, const tensor::Shape& shape,
                                const ParseOptions& options) {
  switch (type) {
    case DataType::kBool: return ParseWith(BoolCodec(), text, shape, options.fault);
    case DataType::kUint8: return ParseWith(IntegerCodec<uint8_t>(), text, shape, options.fault);
    case DataType::kUint16: return ParseWith(IntegerCodec<uint16_t>(), text, shape, options.fault);
    case DataType::kUint32: return ParseWith(IntegerCodec<uint32_t>(), text, shape, options.fault);
    case DataType::kUint64: return ParseWith(IntegerCodec<uint64_t>(), text, shape, options.fault);
    case DataType::kInt8: return ParseWith(IntegerCodec<int8_t>(), text, shape, options.fault);
    case DataType::kInt16: return ParseWith(IntegerCodec<int16_t>(), text, shape, options.fault);
    case DataType::kInt32: return ParseWith(IntegerCodec<int32_t>(), text, shape, options.fault);
    case DataType::kInt64: return ParseWith(IntegerCodec<int64_t>(), text, shape, options.fault);
    case DataType::kFp16: return ParseWith(FloatCodec<DataType::kFp16>(options), text, shape, options.fault);
    case DataType::kFp32: return ParseWith(FloatCodec<DataType::kFp32>(options), text, shape, options.fault);
    case DataType::kFp64: return ParseWith(FloatCodec<DataType::kFp64>(options), text, shape, options.fault);
    case DataType::kBf16: return ParseWith(FloatCodec<DataType::kBf16>(options), text, shape, options.fault);
    case DataType::kBytes: return ParseBytes(text, shape, options);
    default: break;
  }
  return std::unexpected(base::InvalidArgument("data: the tensor has no datatype that JSON carries"));
}

base::Status CheckOptions(DataType type, const ParseOptions& options) {
  if (!options.base64 || type == DataType::kBytes) return {};
  return base::InvalidArgument("data: content_type base64 needs datatype BYTES, got " +
                               std::string(tensor::DataTypeName(type)));
}

base::Status NotAnArray(std::string_view text) {
  return base::InvalidArgument("data: expected an array, got " +
                               json::Describe(text.data(), text.data() + text.size()));
}

// Parses a scalar's element by adding brackets.
base::Result<base::Buffer> ParseBare(std::string_view element, DataType type, const ParseOptions& options) {
  std::string array;
  array.reserve(element.size() + 2);
  array.append(1, '[').append(element).append(1, ']');
  INFERD_ASSIGN_OR_RETURN(Parsed parsed, ParseArray(array, type, {}, options));
  return std::move(parsed.tensor);
}

}  // namespace

base::Result<base::Buffer> ParseData(json::Reader& reader, DataType type, const tensor::Shape& shape,
                                     const ParseOptions& options) {
  INFERD_RETURN_IF_ERROR(CheckOptions(type, options));
  std::string_view text = reader.Rest();
  const bool array = text.starts_with('[');
  if (!array || type == DataType::kBytes) {
    // Determines the extent first: a scalar is copied, and BYTES are allocated by it.
    if (!array && shape.rank() > 0) return std::unexpected(NotAnArray(text));
    INFERD_ASSIGN_OR_RETURN(text, reader.ReadRaw());
    return ParseData(text, type, shape, options);
  }
  INFERD_ASSIGN_OR_RETURN(Parsed parsed, ParseArray(text, type, shape, options));
  reader.Advance(parsed.text_size);
  return std::move(parsed.tensor);
}

base::Result<base::Buffer> ParseData(std::string_view text, DataType type, const tensor::Shape& shape,
                                     const ParseOptions& options) {
  INFERD_RETURN_IF_ERROR(CheckOptions(type, options));
  if (!text.starts_with('[')) {
    if (shape.rank() > 0) return std::unexpected(NotAnArray(text));
    return ParseBare(text, type, options);
  }
  INFERD_ASSIGN_OR_RETURN(Parsed parsed, ParseArray(text, type, shape, options));
  if (parsed.text_size != text.size()) {
    return std::unexpected(base::InvalidArgument("data: unexpected bytes behind the array"));
  }
  return std::move(parsed.tensor);
}

}  // namespace inferd::tensorjson
