#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/manifest/value.h"

namespace inferd::node {

// How a replica's readiness is probed (Kubernetes: readinessProbe).
struct ReadinessProbe {
  enum class Way : uint8_t { kConnection, kHttp, kCommand, kGrpc };

  Way way = Way::kConnection;
  uint16_t port = 0;                      // of this machine; 0 for the one that receives requests
  std::string path = {};                  // kHttp: GET of it must give a status from 200 to 399
  std::vector<std::string> command = {};  // kCommand: a program with its arguments, which must exit with 0
  std::string service = {};               // kGrpc: for grpc.health.v1.Health/Check; empty for the whole server
  std::chrono::milliseconds initial_delay{0};
  std::chrono::milliseconds timeout{2'000};
};

// Returns the local port for a container's port. 0 if there is none.
using FindPort = std::function<uint16_t(int64_t container_port)>;

// Reads the `readinessProbe` of a container. As in Knative, a probe with nothing but timings only checks that the port
// for requests accepts connections. So does a probe over HTTPS. Numbers in a command that are ports of the container
// become local ports. Of the timings, only initialDelaySeconds and timeoutSeconds are used. timeoutSeconds is limited
// to 2 to 30 s. Probes run more often than periodSeconds says.
ReadinessProbe ReadReadinessProbe(const manifest::Value& container, const FindPort& find_port);

}  // namespace inferd::node
