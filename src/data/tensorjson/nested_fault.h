#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "data/tensor/data_type.h"

// Why NestedParser refuses a value, in TensorFlow Serving's words. `level` counts the lists around it.

namespace inferd::tensorjson {

// What an error text quotes of the JSON value at `p`: all of it, or its beginning if it is long.
std::string QuoteValue(const char* p, const char* end);
// "Null", "False", "True", "Object", "Array", "String", "Number".
std::string_view JsonTypeName(const char* p, const char* end);

base::Status TooDeep();
base::Status UnexpectedList(int level, int rank);
base::Status UnexpectedLeaf(const char* p, const char* end, int level, int rank);
// The list that begins at `open` has not `expected` elements.
base::Status UnexpectedSize(const char* open, const char* end, int level, int64_t expected);
// The value at `p` is none of `type`.
base::Status WrongValue(const char* p, const char* end, tensor::DataType type);
// JSON has no form for elements of `type`, whatever the value at `p` is: UNIMPLEMENTED, with the first in its lists.
base::Status NoConversion(const char* p, const char* end, tensor::DataType type);

}  // namespace inferd::tensorjson
