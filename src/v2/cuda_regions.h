#pragma once

#include <string_view>

#include "base/status.h"
#include "base/text/printable.h"

// What is said of regions of clients' memory on devices (Triton's CUDA shared memory extension), of which there are
// none: no engine's runtime here opens another process's.

namespace inferd::v2 {

inline base::Status CudaNotServed(std::string_view name) {
  return base::Unimplemented("failed to register CUDA shared memory region: " + base::QuotedName(name) +
                             ", GPUs not supported: this server has no runtime that opens clients' memory on a device");
}

inline base::Status NoCudaRegion(std::string_view name) {
  return base::NotFound("Unable to find cuda shared memory region: " + base::QuotedName(name));
}

}  // namespace inferd::v2
