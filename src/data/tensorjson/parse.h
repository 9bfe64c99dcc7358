#pragma once

#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "data/json/reader.h"
#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::tensorjson {

struct ParseOptions {
  // What stands for a floating-point value that JSON has no number for. The reader that skips such data must accept the
  // tokens too (json::ReaderOptions::nonfinite_tokens).
  bool nonfinite_tokens = true;   // NaN, Infinity, -Infinity
  bool short_infinity = false;    // Inf, -Inf, if the tokens above
  bool nonfinite_strings = true;  // "NaN", "Infinity", "-Infinity"
  bool null_as_nan = false;       // null
  // BYTES elements are base64 (parameters.content_type "base64"); refused with other datatypes.
  bool base64 = false;
};

// Reads JSON tensor data (Predict V2, "Tensor Data") straight into tensor bytes: row-major, little-endian, BYTES
// packed.
//
// The data is flat, or nested exactly as `shape`; a scalar (rank 0) may also stand without brackets. Integers have
// neither fraction nor exponent and are exact; BOOL is true or false; floating-point numbers round to nearest, ties to
// even, in one step, and a finite literal that overflows is refused. FP16 and BF16 are numbers.
//
// Memory is bounded by the text, whatever `shape` claims: at most 8 bytes for 2 of text; RESOURCE_EXHAUSTED if there is
// none. Other errors are INVALID_ARGUMENT
// and begin "data", "data element N" (counted row-major from 0) or "shape", with expected and got; the caller puts the
// tensor's name before. After one, the reader is unusable. Nesting is bounded by the rank.
base::Result<base::Buffer> ParseData(json::Reader& reader, tensor::DataType type, const tensor::Shape& shape,
                                     const ParseOptions& options = {});

// The same from a value's text, as json::Reader::ReadRaw returns it.
base::Result<base::Buffer> ParseData(std::string_view text, tensor::DataType type, const tensor::Shape& shape,
                                     const ParseOptions& options = {});

}  // namespace inferd::tensorjson
