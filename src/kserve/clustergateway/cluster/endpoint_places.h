#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kserve/gateway/backend.h"
#include "kserve/kubernetes/watch/object_cache.h"

namespace inferd::clustergateway {

// Returns the addresses of the pods behind a Service: those in its EndpointSlices (discovery.k8s.io/v1) that are ready
// and not terminating, each once. The port named "grpc" is for gRPC; the port named "http", or the first one, is for
// the rest.
//
// `address` replaces the pods' addresses unless it is empty. It is for clusters whose pods are processes of one
// machine, since the API server accepts no loopback address in a slice. Thread-safe, like the other functions of this
// file.
std::vector<gateway::ReplicaPlace> ReadyPlaces(std::span<const kubernetes::ObjectPointer> slices,
                                               const std::string& address);

// Returns "10.0.0.7:8081" for each ready pod, with the port of that name. Pods without such a port are ignored.
std::vector<std::string> ReadyAddresses(std::span<const kubernetes::ObjectPointer> slices, std::string_view port,
                                        const std::string& address);

// Returns the names of the ready pods, as far as the slices have them (targetRef). Sorted and unique.
std::vector<std::string> ReadyPods(std::span<const kubernetes::ObjectPointer> slices);

}  // namespace inferd::clustergateway
