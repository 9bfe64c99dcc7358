#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/manifest/value.h"

namespace inferd::node {

// How a replica is asked whether it is ready (Kubernetes: readinessProbe).
struct ReadinessProbe {
  enum class Way : uint8_t { kConnection, kHttp, kCommand, kGrpc };

  Way way = Way::kConnection;
  uint16_t port = 0;                      // of this machine; 0: the one that requests go to
  std::string path = {};                  // kHttp: what GET answers with a status from 200 to 399
  std::vector<std::string> command = {};  // kCommand: a program with its arguments, which leaves with 0
  std::string service = {};               // kGrpc: of grpc.health.v1.Health/Check; empty: the whole server
  std::chrono::milliseconds initial_delay{0};
  std::chrono::milliseconds timeout{2'000};
};

// Returns the port of this machine that stands for a container's port. 0: none does.
using FindPort = std::function<uint16_t(int64_t container_port)>;

// Reads the `readinessProbe` of a container. As in Knative, a probe that has timings only asks for a connection to the
// port of requests; so does one over HTTPS. Numbers in a command that are ports of the container become those of this
// machine. Of the timings, initialDelaySeconds and timeoutSeconds count (the latter from 2 to 30 s): a replica is asked
// more often than periodSeconds says.
ReadinessProbe ReadReadinessProbe(const manifest::Value& container, const FindPort& find_port);

}  // namespace inferd::node
