#pragma once

#include <span>
#include <string>
#include <string_view>

namespace inferd::oip_http {

// Returns help for a client whose path no protocol has: the path that was probably meant, or the paths of each
// protocol. `target` is the path as received, `segments` its decoded parts. The text has at most 600 bytes, all of them
// printable, and names only what the client's own path names.
std::string PathAdvice(std::string_view target, std::span<const std::string_view> segments);

// Returns help for a client whose path takes other methods than its own: `allow` names these. Not more than 300 bytes.
std::string MethodAdvice(std::string_view allow, std::span<const std::string_view> segments);

}  // namespace inferd::oip_http
