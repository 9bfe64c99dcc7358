#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/status.h"
#include "data/json/writer.h"
#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::tensorjson {

// How a floating-point value is written that JSON has no number for.
enum class NonFinite : uint8_t {
  kTokens,   // NaN, Infinity, -Infinity: what Triton's clients read
  kStrings,  // "NaN", "Infinity", "-Infinity"
  kNull,     // null
  kError,    // not at all: INVALID_ARGUMENT
};

// "tokens", "strings", "null", "error".
std::optional<NonFinite> ParseNonFinite(std::string_view name);

struct WriteOptions {
  NonFinite nonfinite = NonFinite::kTokens;
  bool base64 = false;  // BYTES elements as base64; no meaning for other datatypes
  bool bare = false;    // a single element stands without brackets
};

// Appends what Predict V2 says of a tensor before its data: the members "name", "datatype" and "shape".
void WriteTensorHead(json::Writer& writer, std::string_view name, tensor::DataType type, const tensor::Shape& shape);

// Appends a tensor's data to `writer` as one flat JSON array, row-major. `data` is as core::InferTensor carries it
// (BYTES packed), at any alignment. Floating-point numbers are written whole or as the shortest text that reads back as
// the same value; FP16 and BF16 as the FP32 they widen to.
//
// INVALID_ARGUMENT, in words that follow an output's name and a colon: a non-finite value under kError, a BYTES element
// that is not UTF-8 without `base64`. INTERNAL: `data` does not fit `shape`. What was written before an error remains;
// the text is to be thrown away.
base::Status WriteData(json::Writer& writer, tensor::DataType type, const tensor::Shape& shape,
                       std::span<const std::byte> data, const WriteOptions& options = {});

}  // namespace inferd::tensorjson
