#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "net/upstream/address.h"

namespace inferd::agent {

// A readiness probe of the component (Kubernetes: Probe).
struct ReadinessProbe {
  net::upstream::Address address;
  std::string host;                 // value of the Host header
  std::optional<std::string> path;  // GET must answer 200 to 399; if nullopt, a connection suffices
  std::chrono::milliseconds timeout{1'000};
};

// Parses the JSON of a probe, from the environment variable SERVING_READINESS_PROBE: `httpGet` or `tcpSocket`. Missing
// parts of the address are taken from `component`. An empty text means a connection to `component`. INVALID_ARGUMENT if
// the text is no probe, or one of another kind, or if its host is no IP address.
base::Result<ReadinessProbe> ParseReadinessProbe(std::string_view json, const net::upstream::Address& component);

}  // namespace inferd::agent
