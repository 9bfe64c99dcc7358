#pragma once

#include <string>
#include <string_view>

namespace inferd::base {

// Escapes of URIs (RFC 3986, 2.1). Thread-safe.

// As it stands in a URI's path: what is neither a letter, a digit nor one of "-._~" as %XX, with capital digits, as
// signatures want it. A '/' stays where `keep_slashes`.
std::string PercentEncoded(std::string_view text, bool keep_slashes = false);

// "%20" as " "; an escape that is none stays as it is.
std::string PercentDecoded(std::string_view text);

}  // namespace inferd::base
