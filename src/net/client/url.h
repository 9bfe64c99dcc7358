#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::net {

// A server's URL: "http://127.0.0.1:8000/base". It has no user, query or fragment.
struct Url {
  bool tls = false;
  std::string host;  // without the brackets of an IPv6 address
  uint16_t port = 80;
  std::string path;  // without a trailing '/', usually empty

  // Returns the Host header: "127.0.0.1:8000", "[::1]:8000".
  std::string Authority() const;
  std::string ToString() const;
};

// Parses a URL. The scheme may be left out ("localhost:8000") and is then http. INVALID_ARGUMENT, with the reason, if
// `text` is invalid.
base::Result<Url> ParseUrl(std::string_view text);

}  // namespace inferd::net
