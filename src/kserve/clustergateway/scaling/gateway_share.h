#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace inferd::clustergateway {

// Which of the gateways that share the work one is.
struct GatewayShare {
  size_t gateways = 1;
  size_t index = 0;  // below `gateways`

  bool operator==(const GatewayShare&) const = default;
};

// `gateways`: the names of those that are ready, sorted, each once; one that is not among them comes on top.
// Thread-safe, as is the other.
GatewayShare ShareOf(std::span<const std::string> gateways, const std::string& own);

// How many requests a gateway may have at each of `pods` at a time, so that all gateways together have `concurrency` at
// each (containerConcurrency, at least 1): places are dealt to the gateways one after the other, pod by pod. As with
// Knative's activator, a gateway has one place at least: where there are fewer places than gateways, each gateway
// without one has one at a pod that others use, too, since its requests would wait for ever.
std::vector<size_t> PlacesOf(const GatewayShare& share, size_t concurrency, size_t pods);

}  // namespace inferd::clustergateway
