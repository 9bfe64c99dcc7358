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

// The form of floating-point values for which JSON has no number.
enum class NonFinite : uint8_t {
  kTokens,   // NaN, Infinity, -Infinity, which Triton's clients read
  kStrings,  // "NaN", "Infinity", "-Infinity"
  kNull,     // null
  kError,    // refused: INVALID_ARGUMENT
};

// Parses "tokens", "strings", "null", "error".
std::optional<NonFinite> ParseNonFinite(std::string_view name);

struct WriteOptions {
  NonFinite nonfinite = NonFinite::kTokens;
  bool base64 = false;  // BYTES elements as base64; ignored for other datatypes
  bool bare = false;    // a single element is written without brackets
};

// Appends the members of a Predict V2 tensor before its data: "name", "datatype" and "shape".
void WriteTensorHead(json::Writer& writer, std::string_view name, tensor::DataType type, const tensor::Shape& shape);

// Appends a tensor's data to `writer` as one flat JSON array, row-major. `data` has the form of core::InferTensor
// (BYTES packed), at any alignment. Floating-point numbers are written as whole numbers, or as the shortest text that
// reads back as the same value; FP16 and BF16 as the FP32 to which they widen.
//
// INVALID_ARGUMENT, in words that follow an output's name and a colon, for a non-finite value under kError, and for a
// BYTES element that is not UTF-8 without `base64`. INTERNAL if `data` does not fit `shape`. After an error the caller
// must discard the text.
base::Status WriteData(json::Writer& writer, tensor::DataType type, const tensor::Shape& shape,
                       std::span<const std::byte> data, const WriteOptions& options = {});

}  // namespace inferd::tensorjson
