#pragma once

#include <strings.h>

#include <string_view>

namespace inferd::base {

// Returns true if both texts are equal, ignoring the case of ASCII letters.
inline bool EqualWithoutCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace inferd::base
