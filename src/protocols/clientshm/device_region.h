#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/buffer.h"
#include "base/status.h"
#include "protocols/clientshm/region_use.h"

namespace inferd::clientshm {

// A client's registration of memory on a device.
struct DeviceRegionSpec {
  std::string name;
  std::string handle;  // base::kDeviceHandleBytes, from the client's library (cudaIpcGetMemHandle)
  int64_t device = 0;
  uint64_t byte_size = 0;  // from the memory's first byte on

  bool operator==(const DeviceRegionSpec&) const = default;
};

// A client's memory on a device, opened by an engine. Thread-safe. Lives until the last buffer in it is gone.
class DeviceRegion final {
 public:
  // UNIMPLEMENTED if no engine opens clients' memory on that device. INVALID_ARGUMENT if the handle is invalid, or its
  // memory is smaller.
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

// One use of it. The client cannot take the memory away while it is open.
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
