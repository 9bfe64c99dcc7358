#include "base/device_memory.h"

#include <array>
#include <atomic>
#include <cstring>
#include <string>

#include "base/mutex.h"

namespace inferd::base {

namespace {

constexpr size_t kRuntimesMax = 255;

class Runtimes final {
 public:
  uint8_t Add(DeviceMemory* memory) {
    MutexLock lock(mutex_);
    if (count_ == kRuntimesMax) return 0;
    known_[++count_].store(memory, std::memory_order_release);
    return static_cast<uint8_t>(count_);
  }
  DeviceMemory* Find(uint8_t runtime) const { return known_[runtime].load(std::memory_order_acquire); }

 private:
  Mutex mutex_;
  size_t count_ GUARDED_BY(mutex_) = 0;
  std::array<std::atomic<DeviceMemory*>, kRuntimesMax + 1> known_{};
};

Runtimes& AllRuntimes() {
  static Runtimes runtimes;
  return runtimes;
}

}  // namespace

uint8_t RegisterDeviceMemory(DeviceMemory* memory) { return AllRuntimes().Add(memory); }

DeviceMemory* FindDeviceMemory(uint8_t runtime) { return AllRuntimes().Find(runtime); }

Result<Buffer> DeviceMemory::OpenHandle(uint16_t device, std::string_view /*handle*/) {
  return std::unexpected(
      Unimplemented("memory of other processes on device " + std::to_string(device) + " cannot be opened"));
}

Result<std::unique_ptr<CopyQueue>> DeviceMemory::OpenQueue(uint16_t device) {
  return std::unexpected(Unimplemented("device " + std::to_string(device) + " has no queues for copies"));
}

Result<Buffer> OpenDeviceHandle(uint16_t device, std::string_view handle) {
  Status refusal = Unimplemented("no engine opens memory of other processes on a device");
  for (size_t runtime = 1; runtime <= kRuntimesMax; ++runtime) {
    DeviceMemory* const memory = FindDeviceMemory(static_cast<uint8_t>(runtime));
    if (memory == nullptr) break;
    Result<Buffer> opened = memory->OpenHandle(device, handle);
    if (opened.has_value()) return opened;
    if (refusal.code() == StatusCode::kUnimplemented) refusal = opened.error();
  }
  return std::unexpected(std::move(refusal));
}

Status CopyBytes(const std::byte* from, MemoryPlace from_place, std::byte* to, MemoryPlace to_place, size_t size) {
  if (size == 0) return OkStatus();
  if (from_place.readable() && to_place.readable()) {
    std::memcpy(to, from, size);
    return OkStatus();
  }
  if (!from_place.readable() && !to_place.readable() && from_place.runtime != to_place.runtime) {
    Buffer between = Buffer::Allocate(size);
    INFERD_RETURN_IF_ERROR(CopyBytes(from, from_place, between.data(), {}, size));
    return CopyBytes(between.data(), {}, to, to_place, size);
  }
  DeviceMemory* const memory = FindDeviceMemory(from_place.readable() ? to_place.runtime : from_place.runtime);
  if (memory == nullptr) return Internal("there is memory of a device that no library of this process knows");
  return memory->Copy(from, from_place, to, to_place, size);
}

Result<BufferSlice> Readable(const BufferSlice& data) {
  if (data.place().readable()) return data;
  Buffer copy = Buffer::Allocate(data.size());
  INFERD_RETURN_IF_ERROR(CopyBytes(data.data(), data.place(), copy.data(), {}, data.size()));
  return BufferSlice(std::move(copy));
}

}  // namespace inferd::base
