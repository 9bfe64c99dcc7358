#pragma once

#include <cstddef>

#include "inferd/engine_abi.h"

namespace inferd::kit {

// Whether all requests of the batch are cancelled: the execution is of no use.
inline bool AllCancelled(const inferd_host& host, const inferd_batch& batch) {
  for (size_t i = 0; i < batch.request_count; ++i) {
    if (host.is_cancelled(&batch, i) == 0) return false;
  }
  return true;
}

}  // namespace inferd::kit
