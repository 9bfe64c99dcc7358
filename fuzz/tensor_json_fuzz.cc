// Fuzzes the conversion of JSON text to tensors. Both ways of parsing must agree, each element must equal the C
// library's conversion of its text, and writing and parsing again must change no bit. Input: datatype, rank and
// options, the dimensions, then the text.

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/json/reader.h"
#include "data/json/writer.h"
#include "data/tensor/bytes.h"
#include "data/tensor/half.h"
#include "data/tensor/raw.h"
#include "data/tensorjson/parse.h"
#include "data/tensorjson/write.h"
#include "fuzz/require.h"

namespace inferd::fuzz {
namespace {

using tensor::DataType;

template <typename T>
T ElementAt(const base::Buffer& tensor, size_t i) {
  T element;
  std::memcpy(&element, tensor.data() + i * sizeof(T), sizeof(T));
  return element;
}

template <typename T>
void CheckInteger(const base::Buffer& tensor, size_t i, std::string_view token) {
  T expected{};
  const char* const end = token.data() + token.size();
  const bool read = std::from_chars(token.data(), end, expected).ptr == end || token == "-0";
  Require(read && ElementAt<T>(tensor, i) == expected, "an integer differs");
}

template <typename T>
void CheckFloat(T actual, std::string_view token) {
  const std::string text(token[0] == '"' ? token.substr(1, token.size() - 2) : token);
  const T expected =
      sizeof(T) == 4 ? std::strtof(text.c_str(), nullptr) : static_cast<T>(std::strtod(text.c_str(), nullptr));
  if (token == "null" || std::isnan(expected)) {
    Require(std::isnan(actual), "not a NaN");
  } else {
    Require(actual == expected && std::signbit(actual) == std::signbit(expected), "a float differs: " + text);
  }
}

// Checks an element of a 16-bit format: no neighbour is nearer, in long double arithmetic.
void CheckNarrow(uint16_t bits, float (*widen)(uint16_t), std::string_view token) {
  if (!json::Reader(token).ReadDouble().has_value()) return;
  const long double exact = std::strtold(std::string(token).c_str(), nullptr);
  const long double error = std::abs(exact - static_cast<long double>(widen(bits)));
  for (const uint16_t neighbour : {static_cast<uint16_t>(bits + 1), static_cast<uint16_t>(bits - 1)}) {
    const float value = widen(neighbour);
    if (std::isfinite(value))
      Require(error <= std::abs(exact - static_cast<long double>(value)), "a nearer one exists");
  }
}

void CheckElement(const base::Buffer& tensor, DataType type, size_t i, std::string_view token) {
  switch (type) {
    case DataType::kUint8: return CheckInteger<uint8_t>(tensor, i, token);
    case DataType::kUint16: return CheckInteger<uint16_t>(tensor, i, token);
    case DataType::kUint32: return CheckInteger<uint32_t>(tensor, i, token);
    case DataType::kUint64: return CheckInteger<uint64_t>(tensor, i, token);
    case DataType::kInt8: return CheckInteger<int8_t>(tensor, i, token);
    case DataType::kInt16: return CheckInteger<int16_t>(tensor, i, token);
    case DataType::kInt32: return CheckInteger<int32_t>(tensor, i, token);
    case DataType::kInt64: return CheckInteger<int64_t>(tensor, i, token);
    case DataType::kFp32: return CheckFloat(ElementAt<float>(tensor, i), token);
    case DataType::kFp64: return CheckFloat(ElementAt<double>(tensor, i), token);
    case DataType::kFp16: return CheckNarrow(ElementAt<uint16_t>(tensor, i), tensor::HalfToFloat, token);
    case DataType::kBf16: return CheckNarrow(ElementAt<uint16_t>(tensor, i), tensor::Bf16ToFloat, token);
    case DataType::kBool: return Require(ElementAt<uint8_t>(tensor, i) == (token == "true"), "a bool differs");
    default: return;
  }
}

// Calls `visit` with each element's text, for any nesting. Returns false if the text is malformed.
template <typename Visit>
bool ForEachElement(std::string_view text, size_t depth, Visit& visit) {
  json::Reader reader(text, {.nonfinite_tokens = true});
  if (!text.starts_with('[') || depth > tensor::kRankMax) return visit(text), true;
  if (!reader.BeginArray().ok()) return false;
  while (true) {
    const auto more = reader.NextElement();
    if (!more.has_value()) return false;
    if (!*more) return reader.Finish().ok();
    const auto element = reader.ReadRaw();
    if (!element.has_value() || !ForEachElement(*element, depth + 1, visit)) return false;
  }
}

void Check(std::string_view text, DataType type, const tensor::Shape& shape, const tensorjson::ParseOptions& options) {
  json::Reader reader(text, {.nonfinite_tokens = true});
  auto streamed = tensorjson::ParseData(reader, type, shape, options);
  json::Reader skipping(text, {.nonfinite_tokens = true});
  const auto raw = skipping.ReadRaw();
  Require(!streamed.has_value() || raw.has_value(), "accepted what the reader refuses");
  if (!raw.has_value()) return;
  const auto spanned = tensorjson::ParseData(*raw, type, shape, options);
  Require(streamed.has_value() == spanned.has_value(), "the two ways differ");
  if (!spanned.has_value()) return;
  Require(reader.offset() == skipping.offset(), "the two ways end differently");
  Require(base::BufferSlice(*streamed).view() == base::BufferSlice(*spanned).view(), "the two tensors differ");
  const std::span<const std::byte> bytes{spanned->data(), spanned->size()};
  Require(tensor::CheckRaw(type, shape, bytes).ok(), "the tensor does not fit its shape");

  size_t count = 0;
  const auto visit = [&](std::string_view token) { CheckElement(*spanned, type, count++, token); };
  Require(ForEachElement(*raw, 0, visit), "accepted malformed data");
  Require(std::cmp_equal(count, *shape.ElementCount()), "the counts differ");

  json::Writer writer;
  const tensorjson::WriteOptions write{.base64 = options.base64};
  if (!tensorjson::WriteData(writer, type, shape, bytes, write).ok()) return Require(false, "not writable");
  const std::string written = writer.TakeString();
  const auto back = tensorjson::ParseData(written, type, shape, options);
  if (!back.has_value()) return Require(!options.nonfinite_tokens, "not readable again: " + written);
  Require(base::BufferSlice(*back).view() == base::BufferSlice(*spanned).view(), "the way there and back changes bits");
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  if (size < 2) return 0;
  const auto type = static_cast<tensor::DataType>(1 + data[0] % 14);
  const size_t rank = data[1] % 4;
  if (size < 2 + rank) return 0;
  tensor::Shape shape;
  for (size_t i = 0; i < rank; ++i) {
    const uint8_t dim = data[2 + i];
    shape.Append(dim == 255 ? int64_t{1} << 40 : dim);
  }
  const tensorjson::ParseOptions options{.nonfinite_tokens = (data[1] & 16) == 0,
                                         .nonfinite_strings = (data[1] & 32) == 0,
                                         .null_as_nan = (data[1] & 64) != 0,
                                         .base64 = (data[1] & 128) != 0};
  const std::vector<char> text(data + 2 + rank, data + size);
  fuzz::Check({text.data(), text.size()}, type, shape, options);
  return 0;
}
