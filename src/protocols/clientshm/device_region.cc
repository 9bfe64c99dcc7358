#include "protocols/clientshm/device_region.h"

#include <limits>
#include <utility>

#include "base/device_memory.h"
#include "base/text/printable.h"

namespace inferd::clientshm {

namespace {

// The words that Triton's clients look for.
std::string Failed(const DeviceRegionSpec& spec) {
  return "failed to register CUDA shared memory region: " + base::QuotedName(spec.name);
}

}  // namespace

base::Result<std::shared_ptr<DeviceRegion>> DeviceRegion::Open(const DeviceRegionSpec& spec) {
  if (spec.device < 0 || spec.device > std::numeric_limits<uint16_t>::max()) {
    return std::unexpected(
        base::InvalidArgument(Failed(spec) + ": expected the number of a GPU, got " + std::to_string(spec.device)));
  }
  auto opened = base::OpenDeviceHandle(static_cast<uint16_t>(spec.device), spec.handle);
  if (!opened.has_value() && opened.error().code() == base::StatusCode::kUnimplemented) {
    return std::unexpected(base::Unimplemented(
        Failed(spec) + ", GPUs not supported: this server has no runtime that opens clients' memory on device " +
        std::to_string(spec.device)));
  }
  if (!opened.has_value()) return std::unexpected(base::Status(opened.error()).WithContext(Failed(spec)));
  if (spec.byte_size > opened->size()) {
    return std::unexpected(base::InvalidArgument(Failed(spec) + ": invalid args: expected at most the " +
                                                 std::to_string(opened->size()) + " bytes of its memory, got " +
                                                 std::to_string(spec.byte_size)));
  }
  return std::shared_ptr<DeviceRegion>(new DeviceRegion(spec, *std::move(opened)));
}

DeviceUse::DeviceUse(std::shared_ptr<DeviceRegion> region) : region_(std::move(region)) {
  region_->uses_.fetch_add(1, std::memory_order_relaxed);
}

base::Result<base::Buffer> DeviceUse::Bytes(uint64_t offset, uint64_t byte_size) {
  INFERD_RETURN_IF_ERROR(CheckInside(region_->spec().name, region_->spec().byte_size, offset, byte_size));
  base::Buffer& memory = region_->memory_;
  return base::Buffer::Wrap(memory.data() + offset, byte_size, [use = shared_from_this()] {}, memory.place());
}

void DeviceUse::End() {
  if (!ended_.exchange(true, std::memory_order_relaxed)) region_->uses_.fetch_sub(1, std::memory_order_release);
}

}  // namespace inferd::clientshm
