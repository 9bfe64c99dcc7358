#include "protocols/clientshm/region_use.h"

#include "base/text/printable.h"

namespace inferd::clientshm {

base::Status CheckInside(const std::string& region, uint64_t region_bytes, uint64_t offset, uint64_t byte_size) {
  const std::string quoted = base::QuotedName(region);
  if (byte_size == 0) {
    return base::InvalidArgument("expected at least 1 byte of shared memory region " + quoted + ", got 0");
  }
  if (offset >= region_bytes) return base::InvalidArgument("Invalid offset for shared memory region: " + quoted);
  if (byte_size <= region_bytes - offset) return base::OkStatus();
  return base::InvalidArgument("Invalid offset + byte size for shared memory region: " + quoted +
                               ": expected at most " + std::to_string(region_bytes - offset) + " bytes from byte " +
                               std::to_string(offset) + " on, got " + std::to_string(byte_size));
}

}  // namespace inferd::clientshm
