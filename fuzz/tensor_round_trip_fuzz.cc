// Fuzzes the conversion of tensor bytes to JSON and back. No bit may change, except in a NaN. JSON and the binary form
// must give the same tensor. Input: datatype and options, then the tensor's bytes.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
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

bool IsNan(DataType type, const std::byte* element) {
  uint16_t bits;
  std::memcpy(&bits, element, sizeof bits);
  if (type == DataType::kFp16) return std::isnan(tensor::HalfToFloat(bits));
  if (type == DataType::kBf16) return std::isnan(tensor::Bf16ToFloat(bits));
  if (type == DataType::kFp32) {
    float value;
    std::memcpy(&value, element, sizeof value);
    return std::isnan(value);
  }
  if (type != DataType::kFp64) return false;
  double value;
  std::memcpy(&value, element, sizeof value);
  return std::isnan(value);
}

void RequireSame(DataType type, std::span<const std::byte> before, std::span<const std::byte> after) {
  Require(before.size() == after.size(), "the sizes differ");
  const size_t step = type == DataType::kBytes ? std::max<size_t>(before.size(), 1) : tensor::ElementSize(type);
  for (size_t at = 0; at < before.size(); at += step) {
    if (std::memcmp(before.data() + at, after.data() + at, step) == 0) continue;
    const bool both_true = type == DataType::kBool && before[at] != std::byte{0} && after[at] == std::byte{1};
    const bool both_nan = step > 1 && IsNan(type, before.data() + at) && IsNan(type, after.data() + at);
    Require(both_true || both_nan, "an element differs");
  }
}

void Check(DataType type, std::span<const std::byte> data, const tensorjson::WriteOptions& options) {
  tensor::Shape shape{0};
  if (type == DataType::kBytes) {
    while (shape[0] < 64 && !tensor::CheckPacked(data, static_cast<size_t>(shape[0])).ok()) ++shape[0];
  } else {
    shape[0] = static_cast<int64_t>(data.size() / tensor::ElementSize(type));
  }
  json::Writer writer(data.size() % 100);
  const base::Status written = tensorjson::WriteData(writer, type, shape, data, options);
  const bool fits = tensor::CheckRaw(type, shape, data).ok();
  Require(fits || written.code() == base::StatusCode::kInternal, "data that does not fit was written");
  if (!written.ok()) return;

  const std::string text = writer.TakeString();
  json::Reader reader(text, {.nonfinite_tokens = options.nonfinite == tensorjson::NonFinite::kTokens});
  Require(reader.SkipValue().ok() && reader.Finish().ok(), "not JSON: " + text);
  const tensorjson::ParseOptions parse{.null_as_nan = options.nonfinite == tensorjson::NonFinite::kNull,
                                       .base64 = options.base64 && type == DataType::kBytes};
  const auto back = tensorjson::ParseData(text, type, shape, parse);
  Require(back.has_value(), "not readable: " + text);
  if (options.nonfinite == tensorjson::NonFinite::kNull) return;  // infinities came back as NaN
  RequireSame(type, data, {back->data(), back->size()});
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  if (size < 2) return 0;
  const auto type = static_cast<tensor::DataType>(1 + data[0] % 14);
  const tensorjson::WriteOptions options{.nonfinite = static_cast<tensorjson::NonFinite>(data[1] % 4),
                                         .base64 = (data[1] & 4) != 0};
  const std::vector<uint8_t> copy(data + 2, data + size);
  fuzz::Check(type, std::as_bytes(std::span(copy)), options);
  return 0;
}
