#pragma once

#include <cstdint>
#include <string>

#include "base/buffer.h"
#include "base/status.h"

namespace inferd::clientshm {

// One request's use of a region: while it lasts, the region cannot be unregistered. It ends when it is said to, or when
// the request's last buffer in the region is gone. Thread-safe.
class RegionUse {
 public:
  virtual ~RegionUse() = default;

  virtual const std::string& region_name() const = 0;
  // These bytes of the region, without a copy: they may be written by the client while they are looked at, and lie on a
  // device if the region does. INVALID_ARGUMENT: they are not of the region, or there are none. FAILED_PRECONDITION:
  // the region's memory is not there any more.
  virtual base::Result<base::Buffer> Bytes(uint64_t offset, uint64_t byte_size) = 0;
  // Whether all that Bytes() gave was there all the time. FAILED_PRECONDITION: part of it was not.
  virtual base::Status Check() const = 0;
  virtual void End() = 0;
};

// Whether these are bytes of a region of `region_bytes`. INVALID_ARGUMENT in the words of Triton.
base::Status CheckInside(const std::string& region, uint64_t region_bytes, uint64_t offset, uint64_t byte_size);

}  // namespace inferd::clientshm
