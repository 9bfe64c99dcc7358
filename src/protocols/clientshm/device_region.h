#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/buffer.h"
#include "base/status.h"
#include "protocols/clientshm/region_use.h"

namespace inferd::clientshm {

// What a client says of memory on a device when it registers it.
struct DeviceRegionSpec {
  std::string name;
  std::string handle;  // base::kDeviceHandleBytes, of the client's library (cudaIpcGetMemHandle)
  int64_t device = 0;
  uint64_t byte_size = 0;  // from the first byte of that memory on

  bool operator==(const DeviceRegionSpec&) const = default;
};

// Memory that a client has on a device, opened by an engine. Thread-safe. Lives until the last buffer that lies in it
// is gone.
class DeviceRegion final {
 public:
  // UNIMPLEMENTED: no engine opens clients' memory on that device. INVALID_ARGUMENT: a handle that is none, or of less
  // memory.
  static base::Result<std::shared_ptr<DeviceRegion>> Open(const DeviceRegionSpec& spec);
  DeviceRegion(const DeviceRegion&) = delete;
  DeviceRegion& operator=(const DeviceRegion&) = delete;

  const DeviceRegionSpec& spec() const { return spec_; }
  bool in_use() const { return uses_.load(std::memory_order_acquire) > 0; }

 private:
  friend class DeviceUse;
  DeviceRegion(DeviceRegionSpec spec, base::Buffer memory) : spec_(std::move(spec)), memory_(std::move(memory)) {}

  const DeviceRegionSpec spec_;
  base::Buffer memory_;
  std::atomic<int64_t> uses_{0};
};

// A use of it. The client cannot take the memory away while it is opened.
class DeviceUse final : public RegionUse, public std::enable_shared_from_this<DeviceUse> {
 public:
  explicit DeviceUse(std::shared_ptr<DeviceRegion> region);
  ~DeviceUse() override { DeviceUse::End(); }
  DeviceUse(const DeviceUse&) = delete;
  DeviceUse& operator=(const DeviceUse&) = delete;

  const std::string& region_name() const override { return region_->spec().name; }
  base::Result<base::Buffer> Bytes(uint64_t offset, uint64_t byte_size) override;
  base::Status Check() const override { return base::OkStatus(); }
  void End() override;

 private:
  const std::shared_ptr<DeviceRegion> region_;
  std::atomic<bool> ended_{false};
};

}  // namespace inferd::clientshm
