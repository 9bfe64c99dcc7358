#pragma once

#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "data/json/reader.h"
#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"
#include "data/tensorjson/data_fault.h"

namespace inferd::tensorjson {

struct ParseOptions {
  // The forms of floating-point values that JSON numbers cannot express. The reader that skips such data must accept
  // the tokens too (json::ReaderOptions::nonfinite_tokens).
  bool nonfinite_tokens = true;   // NaN, Infinity, -Infinity
  bool short_infinity = false;    // Inf, -Inf, if nonfinite_tokens
  bool nonfinite_strings = true;  // "NaN", "Infinity", "-Infinity"
  bool null_as_nan = false;       // null
  // BYTES elements are base64 (parameters.content_type "base64"). Refused for other datatypes.
  bool base64 = false;
  DataFault* fault = nullptr;  // gets the kind of an error, if not null
};

// Reads JSON tensor data (Predict V2, "Tensor Data") directly into tensor bytes: row-major, little-endian, BYTES
// packed.
//
// The data is flat, or nested exactly like `shape`. A scalar (rank 0) may also be written without brackets. Integers
// must have no fraction and no exponent, and are exact. BOOL is true or false. Floating-point numbers are rounded once,
// to nearest, ties to even; a finite literal that overflows is refused. FP16 and BF16 are numbers.
//
// The text bounds the memory, whatever `shape` claims: at most 8 bytes for 2 of text. RESOURCE_EXHAUSTED if there is no
// memory. Other errors are INVALID_ARGUMENT and begin with "data", "data element N" (counted row-major from 0) or
// "shape", with expected and actual value; the caller adds the tensor's name. After an error the reader is unusable.
// The rank bounds the nesting.
base::Result<base::Buffer> ParseData(json::Reader& reader, tensor::DataType type, const tensor::Shape& shape,
                                     const ParseOptions& options = {});

// Reads the same from a value's text, as json::Reader::ReadRaw() returns it.
base::Result<base::Buffer> ParseData(std::string_view text, tensor::DataType type, const tensor::Shape& shape,
                                     const ParseOptions& options = {});

}  // namespace inferd::tensorjson
