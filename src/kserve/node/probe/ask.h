#pragma once

#include <cstdint>
#include <string>

#include "kserve/node/probe/readiness_probe.h"

namespace inferd::node {

// Returns the address of a port of this machine: "127.0.0.1:40001".
std::string AddressAt(uint16_t port);

// Returns true if the address accepts connections: "127.0.0.1:40001", "unix:PATH". Blocks.
bool TakesConnections(const std::string& address);

// Probes the server at `address`. Returns true if it is ready. The probe must not be a command. Blocks, at most for the
// probe's timeout. Thread-safe.
bool AnswersReady(const ReadinessProbe& probe, const std::string& address);

}  // namespace inferd::node
