#pragma once

#include <cstddef>

#include "inferd/engine_abi.h"

namespace inferd::kit {

// For executions that answer a request several times on their own thread: waits until the client has taken enough of
// the earlier responses for another one, or the request is cancelled.
void WaitForResponseRoom(const inferd_host& host, const inferd_batch* batch, size_t request);

}  // namespace inferd::kit
