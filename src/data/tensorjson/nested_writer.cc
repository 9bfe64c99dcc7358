#include "data/tensorjson/nested_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/text/base64.h"
#include "data/tensor/bytes.h"
#include "data/tensor/half.h"
#include "data/tensor/raw.h"
#include "data/tensorjson/short_decimal.h"

namespace inferd::tensorjson {

using tensor::DataType;

namespace {

// Reserves room for this many elements at once, or for fewer if fewer are left.
constexpr size_t kBatch = 4096;
constexpr size_t kIntegerMax = 20;

template <typename T>
char* PrintInteger(char* out, T value) {
  return std::to_chars(out, out + kIntegerMax, value).ptr;
}

char* PrintWord(char* out, std::string_view word) { return std::copy(word.begin(), word.end(), out); }

template <typename T>
char* PrintFloat(char* out, T value) {
  if (std::isfinite(value)) return PrintShortDecimal(out, value);
  return PrintWord(out, std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
}

void WriteBase64(json::Writer& writer, std::string_view bytes) {
  constexpr std::string_view kOpen = R"({"b64":")";
  constexpr std::string_view kClose = R"("})";
  writer.StartValue();
  const size_t size = kOpen.size() + base::Base64Size(bytes.size()) + kClose.size();
  char* const out = PrintWord(writer.Reserve(size), kOpen);
  PrintWord(base::EncodeBase64(bytes, out), kClose);
  writer.Commit(size);
}

}  // namespace

void WriteNumber(json::Writer& writer, float value) {
  writer.StartValue();
  char* const out = writer.Reserve(kShortDecimalMax);
  writer.Commit(static_cast<size_t>(PrintFloat(out, value) - out));
}

base::Result<NestedWriter> NestedWriter::Create(DataType type, const tensor::Shape& shape,
                                                std::span<const std::byte> data, bool base64) {
  const base::Status fits = tensor::CheckRaw(type, shape, data);
  if (!fits.ok()) return std::unexpected(base::Internal(fits.message()));
  return NestedWriter(type, shape, data.data(), base64);
}

base::Status NestedWriter::WriteFrom(json::Writer& writer, size_t dim) {
  if (dim == shape_.rank()) return WriteRow(writer, 1);
  const auto size = static_cast<size_t>(shape_[dim]);
  writer.BeginArray();
  if (dim + 1 == shape_.rank()) {
    INFERD_RETURN_IF_ERROR(WriteRow(writer, size));
  } else {
    for (size_t i = 0; i < size; ++i) INFERD_RETURN_IF_ERROR(WriteFrom(writer, dim + 1));
  }
  writer.EndArray();
  return {};
}

// Writes `count` consecutive elements.
base::Status NestedWriter::WriteRow(json::Writer& writer, size_t count) {
  const auto integers = [&]<typename T>(T) { WriteFixed<kIntegerMax, T>(writer, count, PrintInteger<T>); };
  switch (type_) {
    case DataType::kBool:
      WriteFixed<5, uint8_t>(writer, count,
                             [](char* out, uint8_t value) { return PrintWord(out, value != 0 ? "true" : "false"); });
      break;
    case DataType::kUint8: integers(uint8_t{}); break;
    case DataType::kUint16: integers(uint16_t{}); break;
    case DataType::kUint32: integers(uint32_t{}); break;
    case DataType::kUint64: integers(uint64_t{}); break;
    case DataType::kInt8: integers(int8_t{}); break;
    case DataType::kInt16: integers(int16_t{}); break;
    case DataType::kInt32: integers(int32_t{}); break;
    case DataType::kInt64: integers(int64_t{}); break;
    case DataType::kFp16:
      WriteFixed<kShortDecimalMax, uint16_t>(
          writer, count, [](char* out, uint16_t bits) { return PrintFloat(out, tensor::HalfToFloat(bits)); });
      break;
    case DataType::kBf16:
      WriteFixed<kShortDecimalMax, uint16_t>(
          writer, count, [](char* out, uint16_t bits) { return PrintFloat(out, tensor::Bf16ToFloat(bits)); });
      break;
    case DataType::kFp32: WriteFixed<kShortDecimalMax, float>(writer, count, PrintFloat<float>); break;
    case DataType::kFp64: WriteFixed<kShortDecimalMax, double>(writer, count, PrintFloat<double>); break;
    case DataType::kBytes: return WriteTexts(writer, count);
    default: return base::Internal("the tensor has no datatype that JSON carries");
  }
  return {};
}

// Print(out, element) writes one element, at most kWidth bytes, and returns its end.
template <size_t kWidth, typename T, typename Print>
void NestedWriter::WriteFixed(json::Writer& writer, size_t count, Print print) {
  if (count == 0) return;
  writer.StartValue();
  for (size_t i = 0; i < count;) {
    char* const begin = writer.Reserve(std::min(count - i, kBatch) * (kWidth + 1));
    const size_t batch_end = i + std::min(count - i, writer.room() / (kWidth + 1));
    char* out = begin;
    for (; i < batch_end; ++i, from_ += sizeof(T)) {
      T element;
      std::memcpy(&element, from_, sizeof(T));
      if (i > 0) *out++ = ',';
      out = print(out, element);
    }
    writer.Commit(static_cast<size_t>(out - begin));
  }
}

base::Status NestedWriter::WriteTexts(json::Writer& writer, size_t count) {
  tensor::PackedElements::Iterator element(from_);
  for (size_t i = 0; i < count; ++i, ++element) {
    const std::string_view text = *element;
    if (base64_) {
      WriteBase64(writer, text);
    } else if (!writer.StringIfUtf8(text)) {
      return base::InvalidArgument(
          "an element is not valid UTF-8, which JSON strings are: an output whose name ends with _bytes is written as "
          "base64");
    }
    from_ = reinterpret_cast<const std::byte*>(text.data() + text.size());
  }
  return {};
}

}  // namespace inferd::tensorjson
