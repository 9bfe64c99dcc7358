#pragma once

#include <sys/mman.h>

#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/device_memory.h"

namespace inferd::support {

// A device that does not exist, known to the process for as long as that lives. Its memory has addresses that end the
// process when they are touched. For one thread.
class FarMemory final : public base::DeviceMemory {
 public:
  static FarMemory& New() {
    auto* const memory = new FarMemory();  // registered, so never destroyed
    memory->place_ = {.kind = base::MemoryKind::kGpu, .runtime = base::RegisterDeviceMemory(memory), .device = 1};
    return *memory;
  }

  base::MemoryPlace place() const { return place_; }
  int copies() const { return copies_; }

  base::Result<base::Buffer> Allocate(base::MemoryPlace place, size_t size) override {
    if (size > kBytes - used_) return std::unexpected(base::ResourceExhausted("the device is full"));
    std::byte* const data = addresses_ + used_;
    used_ += (size + 63) / 64 * 64;
    return base::Buffer::Wrap(data, size, [] {}, place);
  }

  base::Status Copy(const std::byte* from, base::MemoryPlace from_place, std::byte* to, base::MemoryPlace to_place,
                    size_t size) override {
    ++copies_;
    std::memcpy(to_place.readable() ? to : Reach(to), from_place.readable() ? from : Reach(from), size);
    return base::OkStatus();
  }

  base::BufferSlice SliceOf(std::string_view bytes) {
    const base::Buffer buffer = *Allocate(place_, bytes.size());
    std::memcpy(Reach(buffer.data()), bytes.data(), bytes.size());
    return base::BufferSlice(buffer);
  }
  std::string Read(const base::BufferSlice& data) const {
    return {reinterpret_cast<const char*>(Reach(data.data())), data.size()};
  }

  // That another process has `bytes` by this handle, of base::kDeviceHandleBytes.
  void Export(std::string handle, std::string_view bytes) {
    handle_ = std::move(handle);
    exported_ = SliceOf(bytes).owner();
  }
  int opened() const { return opened_; }  // and not closed again
  // Runs in the next OpenHandle().
  void DuringOpen(std::function<void()> run) { during_open_ = std::move(run); }
  base::Result<base::Buffer> OpenHandle(uint16_t device, std::string_view handle) override {
    if (!exported_ || device != place_.device) return DeviceMemory::OpenHandle(device, handle);
    if (const auto run = std::exchange(during_open_, nullptr)) run();
    if (handle != handle_) return std::unexpected(base::InvalidArgument("it is no such handle"));
    ++opened_;
    return base::Buffer::Wrap(exported_.data(), exported_.size(), [this] { --opened_; }, place_);
  }

 private:
  static constexpr size_t kBytes = size_t{1} << 20;

  static std::byte* Map(int protection) {
    return static_cast<std::byte*>(::mmap(nullptr, kBytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  std::byte* Reach(const std::byte* data) const { return bytes_ + (data - addresses_); }

  base::MemoryPlace place_;
  std::byte* const addresses_ = Map(PROT_NONE);
  std::byte* const bytes_ = Map(PROT_READ | PROT_WRITE);
  size_t used_ = 0;
  int copies_ = 0;
  std::string handle_;
  base::Buffer exported_;
  int opened_ = 0;
  std::function<void()> during_open_;
};

}  // namespace inferd::support
