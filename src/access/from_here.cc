#include "access/from_here.h"

#include <algorithm>

namespace inferd::access {

bool IsFromHere(const net::RequestHead& head) {
  constexpr std::string_view kHere[] = {"127.", "[::1]:", "[::ffff:127.", "unix"};
  constexpr std::string_view kPassedOn[] = {
      "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via", "Origin"};
  return std::ranges::any_of(kHere, [&](std::string_view here) { return head.peer.starts_with(here); }) &&
         std::ranges::none_of(kPassedOn, [&](std::string_view name) { return head.Find(name).has_value(); });
}

}  // namespace inferd::access
