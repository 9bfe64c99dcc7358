#pragma once

#include <cstddef>

#include "inferd/engine_abi.h"

namespace inferd::kit {

// Returns true if all requests of the batch are cancelled, so that its execution is not needed.
inline bool AllCancelled(const inferd_host& host, const inferd_batch& batch) {
  for (size_t i = 0; i < batch.request_count; ++i) {
    if (host.is_cancelled(&batch, i) == 0) return false;
  }
  return true;
}

}  // namespace inferd::kit
