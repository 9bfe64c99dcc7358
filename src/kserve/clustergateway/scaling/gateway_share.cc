#include "kserve/clustergateway/scaling/gateway_share.h"

#include <algorithm>

namespace inferd::clustergateway {

GatewayShare ShareOf(std::span<const std::string> gateways, const std::string& own) {
  const auto found = std::ranges::lower_bound(gateways, own);
  const bool known = found != gateways.end() && *found == own;
  if (!known) return {.gateways = gateways.size() + 1, .index = gateways.size()};
  return {.gateways = gateways.size(), .index = static_cast<size_t>(found - gateways.begin())};
}

std::vector<size_t> PlacesOf(const GatewayShare& share, size_t concurrency, size_t pods) {
  const size_t odd = concurrency % share.gateways;
  std::vector<size_t> places(pods, concurrency / share.gateways);
  size_t first = 0;  // the gateway that receives the next odd slot
  for (size_t& place : places) {
    if ((share.index + share.gateways - first) % share.gateways < odd) ++place;
    first = (first + odd) % share.gateways;
  }
  const bool none = std::ranges::all_of(places, [](size_t place) { return place == 0; });
  if (none && pods > 0) places[share.index % pods] = 1;
  return places;
}

}  // namespace inferd::clustergateway
