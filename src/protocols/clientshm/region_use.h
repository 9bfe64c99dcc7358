#pragma once

#include <cstdint>
#include <string>

#include "base/buffer.h"
#include "base/status.h"

namespace inferd::clientshm {

// One request's use of a region. During the use, the region cannot be unregistered. It ends with End(), or when the
// request's last buffer in the region is gone. Thread-safe.
class RegionUse {
 public:
  virtual ~RegionUse() = default;

  virtual const std::string& region_name() const = 0;
  // Returns bytes of the region without a copy: the client may change them meanwhile, and they are on a device if the
  // region is. INVALID_ARGUMENT if they are outside of the region, or if there are none. FAILED_PRECONDITION if the
  // region's memory is gone.
  virtual base::Result<base::Buffer> Bytes(uint64_t offset, uint64_t byte_size) = 0;
  // Checks that no byte from Bytes() was ever missing. FAILED_PRECONDITION if some were.
  virtual base::Status Check() const = 0;
  virtual void End() = 0;
};

// Checks that the bytes are inside a region of `region_bytes`. INVALID_ARGUMENT, in Triton's words, if not.
base::Status CheckInside(const std::string& region, uint64_t region_bytes, uint64_t offset, uint64_t byte_size);

}  // namespace inferd::clientshm
