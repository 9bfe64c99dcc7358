#pragma once

#include <string_view>

namespace inferd::net::http1 {

// RFC 9110, 5.5: visible characters, obs-text, space and tab.
bool IsFieldValue(std::string_view text);

}  // namespace inferd::net::http1
