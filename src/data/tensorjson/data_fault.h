#pragma once

#include <cstdint>
#include <string_view>

namespace inferd::tensorjson {

// The kind of an error of ParseData(), for callers whose own text depends on it.
enum class DataFault : uint8_t {
  kOther,
  kWrongSize,  // the data, or a list in it, has another number of elements than the shape says
  kNesting,    // a list where the shape wants an element, or the other way round
  // An element is of another JSON type than the datatype wants.
  kNotAString,
  kNotABool,
  kNotASignedInteger,
  kNotAnUnsignedInteger,
  kNotANumber,
};

// How the text of kWrongSize begins, which is all that Triton says of it.
inline constexpr std::string_view kWrongSizeText =
    "Unable to parse 'data': Shape does not match true shape of 'data' field";

// Returns Triton's words for an element of another JSON type. Empty for an error of another kind.
constexpr std::string_view WrongTypeText(DataFault fault) {
  switch (fault) {
    case DataFault::kNotAString: return "attempt to access JSON non-string as string";
    case DataFault::kNotABool: return "attempt to access JSON non-boolean as boolean";
    case DataFault::kNotASignedInteger: return "attempt to access JSON non-signed-integer as signed-integer";
    case DataFault::kNotAnUnsignedInteger: return "attempt to access JSON non-unsigned-integer as unsigned-integer";
    case DataFault::kNotANumber: return "attempt to access JSON non-number as double";
    default: return {};
  }
}

}  // namespace inferd::tensorjson
