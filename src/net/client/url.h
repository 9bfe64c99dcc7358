#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::net {

// Where a server is: "http://127.0.0.1:8000/base". No user, query or fragment.
struct Url {
  bool tls = false;
  std::string host;  // without the brackets of an IPv6 address
  uint16_t port = 80;
  std::string path;  // without a trailing '/', usually empty

  // "127.0.0.1:8000", "[::1]:8000": the Host header.
  std::string Authority() const;
  std::string ToString() const;
};

// A scheme may be left out ("localhost:8000"); then it is http. INVALID_ARGUMENT says what is wrong with `text`.
base::Result<Url> ParseUrl(std::string_view text);

}  // namespace inferd::net
