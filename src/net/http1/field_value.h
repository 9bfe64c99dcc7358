#pragma once

#include <string_view>

namespace inferd::net::http1 {

// Returns true if `text` has only visible characters, obs-text, space and tab (RFC 9110, 5.5).
bool IsFieldValue(std::string_view text);

}  // namespace inferd::net::http1
