#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "data/tensor/data_type.h"

// The errors of NestedParser, in TensorFlow Serving's words. `level` counts the surrounding lists.

namespace inferd::tensorjson {

// Returns the JSON value at `p` for an error text, or its beginning if it is long.
std::string QuoteValue(const char* p, const char* end);
// Returns "Null", "False", "True", "Object", "Array", "String" or "Number".
std::string_view JsonTypeName(const char* p, const char* end);

base::Status TooDeep();
base::Status UnexpectedList(int level, int rank);
base::Status UnexpectedLeaf(const char* p, const char* end, int level, int rank);
// The list that begins at `open` does not have `expected` elements.
base::Status UnexpectedSize(const char* open, const char* end, int level, int64_t expected);
// The value at `p` is not of `type`.
base::Status WrongValue(const char* p, const char* end, tensor::DataType type);
// JSON has no form for elements of `type`, whatever value is at `p`. UNIMPLEMENTED, with the first value in its lists.
base::Status NoConversion(const char* p, const char* end, tensor::DataType type);

}  // namespace inferd::tensorjson
