#pragma once

#include <string>
#include <string_view>

#include "base/text/percent.h"

namespace inferd::storage {

// Returns "&name=value", to be appended to others in a form or after a URL's '?'.
inline std::string FormField(std::string_view name, std::string_view value) {
  return "&" + std::string(name) + "=" + base::PercentEncoded(value, false);
}

}  // namespace inferd::storage
