#include "net/http/connection_fields.h"

#include "base/text/ascii_case.h"
#include "net/http/ascii.h"

namespace inferd::net {

bool IsOfConnection(std::string_view name) {
  // Most names have none of these lengths.
  switch (name.size()) {
    case 2: return base::EqualWithoutCase(name, "TE");
    case 7: return base::EqualWithoutCase(name, "Upgrade") || base::EqualWithoutCase(name, "Trailer");
    case 10: return base::EqualWithoutCase(name, "Connection") || base::EqualWithoutCase(name, "Keep-Alive");
    case 14: return base::EqualWithoutCase(name, "Content-Length");
    case 16: return base::EqualWithoutCase(name, "Proxy-Connection");
    case 17: return base::EqualWithoutCase(name, "Transfer-Encoding");
    default: return false;
  }
}

bool ListNames(std::string_view list, std::string_view name) {
  bool named = false;
  ForEachToken(list, [&](std::string_view token) { named |= base::EqualWithoutCase(token, name); });
  return named;
}

}  // namespace inferd::net
