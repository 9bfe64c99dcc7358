#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace inferd::clustergateway {

// The position of this gateway among the gateways that share the work.
struct GatewayShare {
  size_t gateways = 1;
  size_t index = 0;  // less than `gateways`

  bool operator==(const GatewayShare&) const = default;
};

// Returns the position of the gateway `own`. `gateways` are the names of the ready gateways, sorted and unique; if
// `own` is missing, it counts as an additional, last one. Thread-safe, like PlacesOf.
GatewayShare ShareOf(std::span<const std::string> gateways, const std::string& own);

// Returns how many requests this gateway may have in flight at each of `pods`, so that all gateways together reach
// `concurrency` at each (containerConcurrency, at least 1). Slots are dealt to the gateways in turn, pod by pod. As
// with Knative's activator, every gateway gets at least one slot. If there are fewer slots than gateways, a gateway
// without one shares a pod with another gateway, because otherwise its requests would wait forever.
std::vector<size_t> PlacesOf(const GatewayShare& share, size_t concurrency, size_t pods);

}  // namespace inferd::clustergateway
