#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "net/upstream/address.h"

namespace inferd::agent {

// How the component is asked whether it is ready (Kubernetes: Probe).
struct ReadinessProbe {
  net::upstream::Address address;
  std::string host;                 // the header Host
  std::optional<std::string> path;  // what GET answers with 200 to 399; none: a connection is enough
  std::chrono::milliseconds timeout{1'000};
};

// Of a probe's JSON, as the environment variable SERVING_READINESS_PROBE has it: `httpGet` or `tcpSocket`. What it does
// not say of the component's place is taken from `component`. An empty text: a connection to `component`.
// INVALID_ARGUMENT: it is no probe, or one of another kind, or its host is no IP address.
base::Result<ReadinessProbe> ParseReadinessProbe(std::string_view json, const net::upstream::Address& component);

}  // namespace inferd::agent
