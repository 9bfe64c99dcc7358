#include "data/tensorjson/nested_fault.h"

#include <algorithm>
#include <string>

#include "base/text/utf8.h"
#include "data/json/reader.h"
#include "data/json/text.h"
#include "data/tensor/shape.h"
#include "data/tensorjson/data_parser.h"
#include "data/tensorjson/nested_elements.h"
#include "data/tensorjson/nested_parser.h"

namespace inferd::tensorjson {

namespace {

using base::InvalidArgument;

constexpr size_t kQuotedMax = 256;
constexpr json::ReaderOptions kAnyDepth = {.depth_max = 1024, .nonfinite_tokens = true, .short_infinity = true};

}  // namespace

std::string QuoteValue(const char* p, const char* end) {
  if (p == end) return "";
  json::Reader reader({p, static_cast<size_t>(end - p)}, kAnyDepth);
  // The value was scanned before, or is not JSON; then its valid beginning is shown.
  const auto raw = reader.ReadRaw();
  return base::Shortened(raw.has_value() ? *raw : std::string_view(p, reader.offset()), kQuotedMax);
}

std::string_view JsonTypeName(const char* p, const char* end) {
  if (p == end) return "Null";
  switch (*p) {
    case '{': return "Object";
    case '[': return "Array";
    case '"': return "String";
    case 't': return "True";
    case 'f': return "False";
    case 'n': return "Null";
    default: return "Number";
  }
}

base::Status TooDeep() {
  return InvalidArgument("Encountered list at unexpected level: " + std::to_string(tensor::kRankMax) + " expected < " +
                         std::to_string(tensor::kRankMax));
}

base::Status UnexpectedList(int level, int rank) {
  return InvalidArgument("Encountered list at unexpected level: " + std::to_string(level) + " expected < " +
                         std::to_string(rank));
}

base::Status UnexpectedLeaf(const char* p, const char* end, int level, int rank) {
  return InvalidArgument("JSON Value: " + QuoteValue(p, end) + " found at incorrect level: " +
                         std::to_string(level + 1) + " in the JSON DOM. Expected at level: " + std::to_string(rank));
}

base::Status UnexpectedSize(const char* open, const char* end, int level, int64_t expected) {
  const size_t size = CountElements({open, static_cast<size_t>(end - open)});
  return InvalidArgument("Encountered list at unexpected size: " + std::to_string(size) +
                         " at level: " + std::to_string(level) + " expected size: " + std::to_string(expected));
}

base::Status WrongValue(const char* p, const char* end, tensor::DataType type) {
  if (type == tensor::DataType::kBytes && p != end && *p == '{') {
    json::Reader reader({p, static_cast<size_t>(end - p)}, kAnyDepth);
    if (TextElements::FindBase64(reader)) return InvalidArgument("Unable to base64 decode");
    return InvalidArgument("JSON Value: " + QuoteValue(p, end) + " not formatted correctly for base64 data");
  }
  return InvalidArgument("JSON Value: " + QuoteValue(p, end) + " Type: " + std::string(JsonTypeName(p, end)) +
                         " is not of expected type: " + std::string(TensorflowTypeName(type)));
}

base::Status NoConversion(const char* p, const char* end, tensor::DataType type) {
  p = std::find_if(p, end, [](char c) { return c != '[' && c != ' ' && c != '\t' && c != '\r' && c != '\n'; });
  return base::Unimplemented("Conversion of JSON Value: " + QuoteValue(p, end) +
                             " to type: " + std::string(TensorflowTypeName(type)));
}

std::string_view TensorflowTypeName(tensor::DataType type) {
  using tensor::DataType;
  switch (type) {
    case DataType::kBool: return "bool";
    case DataType::kUint8: return "uint8";
    case DataType::kUint16: return "uint16";
    case DataType::kUint32: return "uint32";
    case DataType::kUint64: return "uint64";
    case DataType::kInt8: return "int8";
    case DataType::kInt16: return "int16";
    case DataType::kInt32: return "int32";
    case DataType::kInt64: return "int64";
    case DataType::kFp16: return "half";
    case DataType::kFp32: return "float";
    case DataType::kFp64: return "double";
    case DataType::kBytes: return "string";
    case DataType::kBf16: return "bfloat16";
    case DataType::kComplex64: return "complex64";
    case DataType::kComplex128: return "complex128";
    case DataType::kQint8: return "qint8";
    case DataType::kQuint8: return "quint8";
    case DataType::kQint16: return "qint16";
    case DataType::kQuint16: return "quint16";
    case DataType::kQint32: return "qint32";
    case DataType::kInvalid: break;
  }
  return "invalid";
}

}  // namespace inferd::tensorjson
