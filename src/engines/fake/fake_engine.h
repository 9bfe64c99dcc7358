#pragma once

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

// Tells the host why a call fails; `status` is not OK, and its code is what the call returns.
int32_t SetError(inferd_error* error, const base::Status& status);

}  // namespace inferd::fake
