#include "net/http/connection_fields.h"

#include "net/http/ascii.h"

namespace inferd::net {

bool IsOfConnection(std::string_view name) {
  // Most names have none of these lengths.
  switch (name.size()) {
    case 2: return EqualsIgnoringCase(name, "TE");
    case 7: return EqualsIgnoringCase(name, "Upgrade") || EqualsIgnoringCase(name, "Trailer");
    case 10: return EqualsIgnoringCase(name, "Connection") || EqualsIgnoringCase(name, "Keep-Alive");
    case 14: return EqualsIgnoringCase(name, "Content-Length");
    case 16: return EqualsIgnoringCase(name, "Proxy-Connection");
    case 17: return EqualsIgnoringCase(name, "Transfer-Encoding");
    default: return false;
  }
}

bool ListNames(std::string_view list, std::string_view name) {
  bool named = false;
  ForEachToken(list, [&](std::string_view token) { named |= EqualsIgnoringCase(token, name); });
  return named;
}

}  // namespace inferd::net
