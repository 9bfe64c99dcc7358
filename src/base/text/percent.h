#pragma once

#include <string>
#include <string_view>

namespace inferd::base {

// Escapes of URIs (RFC 3986, 2.1). Thread-safe.

// Encodes a text for a URI's path: everything except letters, digits and "-._~" becomes %XX, with capital digits, as
// signatures require. A '/' stays if `keep_slashes`.
std::string PercentEncoded(std::string_view text, bool keep_slashes = false);

// Decodes "%20" to " ". A malformed escape stays as it is.
std::string PercentDecoded(std::string_view text);

}  // namespace inferd::base
