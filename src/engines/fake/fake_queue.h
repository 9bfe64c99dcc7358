#pragma once

#include "inferd/engine_abi.h"

namespace inferd::fake {

// Fills in the table's functions for queues. Their copies run as late as allowed, and in the wrong order: none runs
// before it is awaited, and the last one runs first. A server that does not wait reads wrong bytes.
void AddQueues(inferd_device_memory& table);

}  // namespace inferd::fake
