#pragma once

#include "inferd/engine_abi.h"

namespace inferd::fake {

// Fills in what the table has for queues. Their copies are as late as they may be, and in the wrong order: none is done
// before it is waited for, and the last of them is done first. A server that does not wait reads something else.
void AddQueues(inferd_device_memory& table);

}  // namespace inferd::fake
