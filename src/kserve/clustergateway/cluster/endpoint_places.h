#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kserve/gateway/backend.h"
#include "kserve/kubernetes/watch/object_cache.h"

namespace inferd::clustergateway {

// Where the pods behind a Service take requests: those of its EndpointSlices (discovery.k8s.io/v1) that are ready and
// not about to end, each once. Of the ports, that named "grpc" is for gRPC, and "http", or the first one, for all else.
//
// `address`: in place of the pods' own; empty: theirs. It is for clusters whose pods are processes of one machine,
// since the API server takes no loopback address in a slice. Thread-safe, as are the others.
std::vector<gateway::ReplicaPlace> ReadyPlaces(std::span<const kubernetes::ObjectPointer> slices,
                                               const std::string& address);

// "10.0.0.7:8081" of each pod that is ready, by the port of that name; pods without such a port are left out.
std::vector<std::string> ReadyAddresses(std::span<const kubernetes::ObjectPointer> slices, std::string_view port,
                                        const std::string& address);

// The name of each pod that is ready, as far as the slices say it (targetRef). Sorted, each once.
std::vector<std::string> ReadyPods(std::span<const kubernetes::ObjectPointer> slices);

}  // namespace inferd::clustergateway
