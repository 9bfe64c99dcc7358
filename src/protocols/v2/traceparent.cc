#include "protocols/v2/traceparent.h"

#include <cstddef>

namespace inferd::v2 {

std::string_view CheckedTraceparent(std::string_view value) {
  constexpr std::string_view kForm = "00-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh";
  if (value.size() != kForm.size()) return {};
  for (size_t i = 0; i < kForm.size(); ++i) {
    const char c = value[i];
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (kForm[i] == 'h' ? !hex : c != kForm[i]) return {};
  }
  return value;
}

}  // namespace inferd::v2
