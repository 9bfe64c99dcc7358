#pragma once

#include <cstdint>
#include <string_view>

namespace inferd::tensorjson {

// The kind of an error of ParseData(), for callers whose own text depends on it.
enum class DataFault : uint8_t {
  kOther,
  kWrongSize,   // the data, or a list in it, has another number of elements than the shape says
  kNotAString,  // an element of BYTES is no JSON string
};

// How the text of kWrongSize begins, which is all that Triton says of it.
inline constexpr std::string_view kWrongSizeText =
    "Unable to parse 'data': Shape does not match true shape of 'data' field";

}  // namespace inferd::tensorjson
