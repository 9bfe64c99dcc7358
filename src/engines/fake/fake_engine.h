#pragma once

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

// Reports to the host why a call fails. `status` must not be OK; its code is the call's result.
int32_t SetError(inferd_error* error, const base::Status& status);

}  // namespace inferd::fake
