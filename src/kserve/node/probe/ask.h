#pragma once

#include <cstdint>
#include <string>

#include "kserve/node/probe/readiness_probe.h"

namespace inferd::node {

// Returns where a port of this machine is reached: "127.0.0.1:40001".
std::string AddressAt(uint16_t port);

// Returns true if something of this machine takes connections at the address: "127.0.0.1:40001", "unix:PATH". Blocks.
bool TakesConnections(const std::string& address);

// Asks the server at `address` by the probe, which is no command. Returns true if it is ready. Blocks, at most for the
// probe's timeout. Thread-safe.
bool AnswersReady(const ReadinessProbe& probe, const std::string& address);

}  // namespace inferd::node
