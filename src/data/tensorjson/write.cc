#include "data/tensorjson/write.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>

#include "base/text/base64.h"
#include "data/tensor/bytes.h"
#include "data/tensor/half.h"
#include "data/tensor/raw.h"

namespace inferd::tensorjson {

using tensor::DataType;

namespace {

// Reserves room for this many elements at once, or for fewer if fewer are left.
constexpr size_t kBatch = 4096;

// Writes `count` elements after a '['. Print(out, element) writes one element, at most kWidth bytes, and returns its
// end, or nullptr to stop. Returns the number of elements written.
template <size_t kWidth, typename T, typename Print>
size_t WriteElements(json::Writer& writer, std::span<const std::byte> data, size_t count, Print print) {
  const std::byte* from = data.data();
  size_t i = 0;
  while (i < count) {
    char* const begin = writer.Reserve(std::min(count - i, kBatch) * (kWidth + 1));
    const size_t batch_end = i + std::min(count - i, writer.room() / (kWidth + 1));
    char* out = begin;
    for (; i < batch_end; ++i, from += sizeof(T)) {
      T element;
      std::memcpy(&element, from, sizeof(T));
      if (i > 0) *out++ = ',';
      out = print(out, element);
      if (out == nullptr) return i;
    }
    writer.Commit(static_cast<size_t>(out - begin));
  }
  return i;
}

template <typename T>
void WriteIntegers(json::Writer& writer, std::span<const std::byte> data, size_t count) {
  constexpr size_t kWidth = 20;
  WriteElements<kWidth, T>(writer, data, count,
                           [](char* out, T value) { return std::to_chars(out, out + kWidth, value).ptr; });
}

void WriteBools(json::Writer& writer, std::span<const std::byte> data, size_t count) {
  WriteElements<5, uint8_t>(writer, data, count, [](char* out, uint8_t value) {
    const std::string_view word = value != 0 ? "true" : "false";
    return static_cast<char*>(std::memcpy(out, word.data(), word.size())) + word.size();
  });
}

template <typename T>
std::string_view NonFiniteToken(T value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}

// Returns nullptr under kError.
template <typename T>
char* PrintNonFinite(char* out, T value, NonFinite mode) {
  std::string text(NonFiniteToken(value));
  switch (mode) {
    case NonFinite::kTokens: break;
    case NonFinite::kStrings: text = '"' + text + '"'; break;
    case NonFinite::kNull: text = "null"; break;
    case NonFinite::kError: return nullptr;
  }
  return std::copy(text.begin(), text.end(), out);
}

// Prints a float in a form that always looks like one, "1.0" as in Predict V2's example: readers in dynamic languages
// would take "1" for an integer, and "-0" for one without a sign. Whole numbers below 2^24 use the faster path for
// integers; to_chars would write 1e+05 for 100000.
template <size_t kWidth, typename T>
char* PrintFinite(char* out, T value) {
  constexpr T kWholeMax = 1 << 24;
  if (std::abs(value) < kWholeMax) {
    const auto whole = static_cast<int32_t>(value);
    if (static_cast<T>(whole) == value) {
      if (whole == 0 && std::signbit(value)) *out++ = '-';
      return std::copy_n(".0", 2, std::to_chars(out, out + kWidth, whole).ptr);
    }
    return std::to_chars(out, out + kWidth, value).ptr;
  }
  char* const end = std::to_chars(out, out + kWidth, value).ptr;
  const bool like_integer = std::none_of(out, end, [](char c) { return c == '.' || c == 'e'; });
  return like_integer ? std::copy_n(".0", 2, end) : end;
}

// T is the stored type; widen() converts it to a float or a double.
template <typename T, typename Widen>
base::Status WriteFloats(json::Writer& writer, std::span<const std::byte> data, size_t count, NonFinite mode,
                         Widen widen) {
  constexpr size_t kWidth = sizeof(widen(T{})) == sizeof(float) ? 17 : 26;  // to_chars and ".0"
  const size_t written = WriteElements<kWidth, T>(writer, data, count, [&](char* out, T stored) {
    const auto value = widen(stored);
    if (!std::isfinite(value)) return PrintNonFinite(out, value, mode);
    return PrintFinite<kWidth>(out, value);
  });
  if (written == count) return {};
  T refused;
  std::memcpy(&refused, data.data() + written * sizeof(T), sizeof(T));
  return base::InvalidArgument("element " + std::to_string(written) + " is " +
                               std::string(NonFiniteToken(widen(refused))) + ", which JSON has no number for");
}

base::Status WriteBytes(json::Writer& writer, std::span<const std::byte> data, bool base64) {
  size_t i = 0;
  for (const std::string_view element : tensor::PackedElements(data)) {
    if (base64) {
      writer.StartValue();
      const size_t size = base::Base64Size(element.size());
      char* const out = writer.Reserve(size + 2);
      *out = '"';
      *base::EncodeBase64(element, out + 1) = '"';
      writer.Commit(size + 2);
    } else if (!writer.StringIfUtf8(element)) {
      return base::InvalidArgument(
          "element " + std::to_string(i) +
          " is not valid UTF-8, which JSON strings are: ask for it as binary data, or as base64 "
          "(\"parameters\": {\"content_type\": \"base64\"})");
    }
    ++i;
  }
  return {};
}

base::Status WriteAll(json::Writer& writer, DataType type, size_t count, std::span<const std::byte> data,
                      const WriteOptions& options) {
  const auto same = [](auto value) { return value; };
  switch (type) {
    case DataType::kBool: WriteBools(writer, data, count); break;
    case DataType::kUint8: WriteIntegers<uint8_t>(writer, data, count); break;
    case DataType::kUint16: WriteIntegers<uint16_t>(writer, data, count); break;
    case DataType::kUint32: WriteIntegers<uint32_t>(writer, data, count); break;
    case DataType::kUint64: WriteIntegers<uint64_t>(writer, data, count); break;
    case DataType::kInt8: WriteIntegers<int8_t>(writer, data, count); break;
    case DataType::kInt16: WriteIntegers<int16_t>(writer, data, count); break;
    case DataType::kInt32: WriteIntegers<int32_t>(writer, data, count); break;
    case DataType::kInt64: WriteIntegers<int64_t>(writer, data, count); break;
    case DataType::kFp16: return WriteFloats<uint16_t>(writer, data, count, options.nonfinite, tensor::HalfToFloat);
    case DataType::kBf16: return WriteFloats<uint16_t>(writer, data, count, options.nonfinite, tensor::Bf16ToFloat);
    case DataType::kFp32: return WriteFloats<float>(writer, data, count, options.nonfinite, same);
    case DataType::kFp64: return WriteFloats<double>(writer, data, count, options.nonfinite, same);
    case DataType::kBytes: return WriteBytes(writer, data, options.base64);
    default: return base::Internal("the tensor has no datatype that JSON carries");
  }
  return {};
}

}  // namespace

std::optional<NonFinite> ParseNonFinite(std::string_view name) {
  if (name == "tokens") return NonFinite::kTokens;
  if (name == "strings") return NonFinite::kStrings;
  if (name == "null") return NonFinite::kNull;
  if (name == "error") return NonFinite::kError;
  return std::nullopt;
}

void WriteTensorHead(json::Writer& writer, std::string_view name, tensor::DataType type, const tensor::Shape& shape) {
  writer.Member("name", name);
  writer.Member("datatype", tensor::DataTypeName(type));
  writer.Key("shape");
  writer.BeginArray();
  for (const int64_t dim : shape.dims()) writer.Int(dim);
  writer.EndArray();
}

base::Status WriteData(json::Writer& writer, DataType type, const tensor::Shape& shape, std::span<const std::byte> data,
                       const WriteOptions& options) {
  const base::Status fits = tensor::CheckRaw(type, shape, data);
  if (!fits.ok()) return base::Internal(fits.message());
  INFERD_ASSIGN_OR_RETURN(const size_t count, tensor::ElementCount(shape));
  if (options.bare && count == 1) {
    if (type != DataType::kBytes) writer.StartValue();  // texts begin their values themselves
    return WriteAll(writer, type, count, data, options);
  }
  writer.BeginArray();
  INFERD_RETURN_IF_ERROR(WriteAll(writer, type, count, data, options));
  writer.EndArray();
  return {};
}

}  // namespace inferd::tensorjson
