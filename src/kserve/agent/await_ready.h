#pragma once

#include <chrono>
#include <cstdint>

#include "base/status.h"

namespace inferd::agent {

// Asks the agent that listens on this machine's `port` until it is ready (KServe's --probe-period). DEADLINE_EXCEEDED:
// it is not, within `time`.
base::Status AwaitReady(uint16_t port, std::chrono::milliseconds time);

}  // namespace inferd::agent
