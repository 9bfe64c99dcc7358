#include "engines/fake/fake_device.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "engines/fake/device_log.h"
#include "engines/fake/fake_engine.h"
#include "engines/fake/fake_handles.h"
#include "engines/fake/fake_queue.h"

namespace inferd::fake {

namespace {

constexpr size_t kDeviceBytes = size_t{64} << 20;
constexpr size_t kAlignment = 64;

std::byte* Map(int protection) {
  void* const memory = ::mmap(nullptr, kDeviceBytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

// Addresses that cannot be touched, and as many real bytes that represent them.
class Device final {
 public:
  Device() : addresses_(Map(PROT_NONE)), bytes_(Map(PROT_READ | PROT_WRITE)) {}

  void* Allocate(size_t size) {
    if (addresses_ == nullptr || bytes_ == nullptr || size > kDeviceBytes) return nullptr;
    const size_t taken = (size + kAlignment) / kAlignment * kAlignment;
    const std::lock_guard lock(mutex_);
    size_t at = 0;
    for (const auto& [begin, used] : used_) {
      if (begin - at >= taken) break;
      at = begin + used;
    }
    if (at > kDeviceBytes - taken) return nullptr;
    used_[at] = taken;
    return addresses_ + at;
  }

  void Release(void* data) {
    const std::lock_guard lock(mutex_);
    const auto found = used_.find(static_cast<size_t>(static_cast<std::byte*>(data) - addresses_));
    if (found == used_.end()) return;
    used_.erase(found);
  }

  bool Has(const void* data) const {
    const auto at = static_cast<const std::byte*>(data) - addresses_;
    return at >= 0 && static_cast<size_t>(at) < kDeviceBytes;
  }
  std::byte* Reach(const void* data) const { return bytes_ + (static_cast<const std::byte*>(data) - addresses_); }

 private:
  std::byte* const addresses_;
  std::byte* const bytes_;
  std::mutex mutex_;
  std::map<size_t, size_t> used_;  // size by start
};

std::array<Device, kDevices>& Devices() {
  static auto* const devices = new std::array<Device, kDevices>();
  return *devices;
}

bool IsDevice(int32_t kind, int32_t device) { return kind == INFERD_MEMORY_GPU && device >= 0 && device < kDevices; }

// Allocates CPU memory, which serves as pinned memory for a device that does not exist.
void* AllocatePinned(size_t size) {
  return size > SIZE_MAX - kAlignment ? nullptr
                                      : std::aligned_alloc(kAlignment, size / kAlignment * kAlignment + kAlignment);
}

void* Allocate(int32_t kind, int32_t device, size_t size) {
  if (kind == INFERD_MEMORY_CPU_PINNED) return AllocatePinned(size);
  return IsDevice(kind, device) ? Devices()[device].Allocate(size) : nullptr;
}

void Release(int32_t kind, int32_t device, void* data, size_t /*size*/) {
  if (kind == INFERD_MEMORY_CPU_PINNED) std::free(data);
  if (IsDevice(kind, device)) Devices()[device].Release(data);
}

int32_t Copy(const inferd_memory* from, const inferd_memory* to, inferd_error* /*error*/) {
  DeviceLog::Get().Copied(*from, *to);
  std::memcpy(Reach(*to), Reach(*from), from->size);
  return INFERD_OK;
}

int32_t Open(int32_t device, const void* handle, inferd_memory* memory, inferd_error* error) {
  const base::Status status = OpenHandle(device, static_cast<const char*>(handle), *memory);
  return status.ok() ? INFERD_OK : SetError(error, status);
}

void Close(const inferd_memory* memory) { CloseHandle(*memory); }

// Uses the variable's number of devices. Without the variable all exist, but only groups that name them use them.
inferd_device_memory MakeTable() {
  inferd_device_memory table = {};
  table.struct_size = sizeof(table);
  table.device_count = kDevices;
  table.allocate = Allocate;
  table.release = Release;
  table.copy = Copy;
  AddQueues(table);
  const char* const text = std::getenv("FAKE_ENGINE_GPUS");
  if (text == nullptr) return table;
  table.device_count = std::clamp(std::atoi(text), 0, kDevices);
  table.preferred = 1;
  // Only then: a handle opens objects that the rules for clients' shared memory do not allow.
  table.open_handle = Open;
  table.close_handle = Close;
  return table;
}

}  // namespace

const inferd_device_memory* DeviceTable() {
  static const inferd_device_memory table = MakeTable();
  return &table;
}

void ReleaseFromDevice(void* data) {
  for (Device& device : Devices()) device.Release(data);
}

std::byte* Reach(const inferd_memory& memory) {
  if (!IsDevice(memory.kind, memory.device)) return static_cast<std::byte*>(const_cast<void*>(memory.data));
  const Device& device = Devices()[memory.device];
  return device.Has(memory.data) ? device.Reach(memory.data) : ReachOpened(memory.data);
}

}  // namespace inferd::fake
