#pragma once

#include <chrono>
#include <cstdint>

#include "base/status.h"

namespace inferd::agent {

// Polls the agent that listens on `port` of this machine until it is ready (KServe's --probe-period). DEADLINE_EXCEEDED
// if it is not ready within `time`.
base::Status AwaitReady(uint16_t port, std::chrono::milliseconds time);

}  // namespace inferd::agent
