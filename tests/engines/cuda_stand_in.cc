// A stand-in for NVIDIA's driver (libcuda.so.1): devices that do not exist. Their memory has addresses that no
// instruction may touch; the bytes are elsewhere, and only the functions here reach them. It is stricter than the
// driver: a call needs a context of the device, and a copy happens when its stream is waited for, the last one of the
// stream first.

#include "tests/engines/cuda_stand_in.h"

#include <sys/mman.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <ranges>
#include <utility>
#include <vector>

#include "engines/kit/cuda/cuda_driver.h"

namespace {

using Address = unsigned long long;

constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kInvalidDevice = 101;
constexpr int kInvalidContext = 201;
constexpr int kCaptureUnsupported = 900;  // as if another thread recorded a graph all the time
constexpr int kDevicesMax = 8;
constexpr size_t kReserved = size_t{1} << 30;  // addresses of a device
constexpr size_t kAlignment = 256;

std::byte* Map(int protection) {
  void* const memory = mmap(nullptr, kReserved, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

struct Device {
  std::byte* addresses = Map(PROT_NONE);
  std::byte* bytes = Map(PROT_READ | PROT_WRITE);
  std::map<size_t, size_t> used;  // by where it begins: how much
  size_t used_bytes = 0;

  bool Has(const void* data) const {
    const auto* at = static_cast<const std::byte*>(data);
    return at >= addresses && at < addresses + kReserved;
  }
  // Returns true if all of it is allocated.
  bool Holds(Address address, size_t size) const {
    const size_t at = address - reinterpret_cast<Address>(addresses);
    auto block = used.upper_bound(at);
    if (block == used.begin()) return false;
    --block;
    return at + size <= block->first + block->second;
  }
};

struct Copy {
  void* to;
  const void* from;
  size_t size;
};

struct Stream {
  int device;
  std::vector<Copy> copies;
};

struct State {
  std::mutex mutex;
  CudaStandIn told;
  std::array<Device, kDevicesMax> devices;
  std::map<void*, size_t> pinned;  // how much
  std::vector<std::unique_ptr<Stream>> streams;
};

thread_local std::vector<int> contexts;  // devices
thread_local int capture_mode = 0;       // as every thread begins

void FromEnvironment(const char* name, auto* value) {
  if (const char* const text = std::getenv(name); text != nullptr) *value = std::strtoull(text, nullptr, 10);
}

void* Reach(const void* data);

State& TheState() {
  static auto* const state = [] {
    auto* const made = new State();
    FromEnvironment("INFERD_STAND_IN_GPUS", &made->told.devices);
    FromEnvironment("INFERD_STAND_IN_CUDA_VERSION", &made->told.version);
    FromEnvironment("INFERD_STAND_IN_GPU_BYTES", &made->told.bytes_per_device);
    made->told.reach = Reach;
    return made;
  }();
  return *state;
}

void* Reach(const void* data) {
  for (Device& device : TheState().devices) {
    if (device.Has(data)) return device.bytes + (static_cast<const std::byte*>(data) - device.addresses);
  }
  return const_cast<void*>(data);
}

// The device whose context the thread has; nullptr: it has none.
Device* Current() { return contexts.empty() ? nullptr : &TheState().devices[contexts.back()]; }

bool IsPinned(const State& state, Address address) {
  auto* const data = reinterpret_cast<std::byte*>(address);
  auto block = state.pinned.upper_bound(data);
  if (block == state.pinned.begin()) return false;
  --block;
  return data < static_cast<std::byte*>(block->first) + block->second;
}

// One side of a copy: memory of the CPU, or allocated memory of a device. nullptr: neither.
void* Side(Address address, size_t size) {
  auto* const data = reinterpret_cast<void*>(address);
  for (Device& device : TheState().devices) {
    if (device.Has(data)) return device.Holds(address, size) ? Reach(data) : nullptr;
  }
  return data;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

CudaStandIn* inferd_cuda_stand_in() { return &TheState().told; }

int cuInit(unsigned) { return TheState().told.init_result; }

int cuDriverGetVersion(int* version) {
  *version = TheState().told.version;
  return 0;
}

int cuDeviceGetCount(int* count) {
  *count = TheState().told.devices;
  return 0;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  if (device < 0 || device >= TheState().told.devices) return kInvalidDevice;
  *context = reinterpret_cast<void*>(static_cast<intptr_t>(device) + 1);
  return 0;
}

int cuCtxPushCurrent_v2(void* context) {
  const auto device = reinterpret_cast<intptr_t>(context) - 1;
  if (device < 0 || device >= TheState().told.devices) return kInvalidContext;
  contexts.push_back(static_cast<int>(device));
  const std::lock_guard lock(TheState().mutex);
  ++TheState().told.pushed;
  return 0;
}

int cuCtxPopCurrent_v2(void** context) {
  if (contexts.empty()) return kInvalidContext;
  *context = reinterpret_cast<void*>(static_cast<intptr_t>(contexts.back()) + 1);
  contexts.pop_back();
  const std::lock_guard lock(TheState().mutex);
  --TheState().told.pushed;
  return 0;
}

int cuThreadExchangeStreamCaptureMode(int* mode) {
  std::swap(*mode, capture_mode);
  const std::lock_guard lock(TheState().mutex);
  TheState().told.relaxed += capture_mode == 2 ? 1 : -1;
  return 0;
}

int cuMemAlloc_v2(Address* address, size_t size) {
  State& state = TheState();
  Device* const device = Current();
  if (device == nullptr) return kInvalidContext;
  if (capture_mode != 2) return kCaptureUnsupported;
  if (size == 0) return kInvalidValue;
  const std::lock_guard lock(state.mutex);
  const size_t limit = state.told.bytes_per_device < kReserved ? state.told.bytes_per_device : kReserved;
  if (size > limit) return kOutOfMemory;
  const size_t taken = (size + kAlignment - 1) / kAlignment * kAlignment;
  if (device->used_bytes + taken > limit) return kOutOfMemory;
  size_t at = 0;
  for (const auto& [begin, used] : device->used) {
    if (begin - at >= taken) break;
    at = begin + used;
  }
  if (at + taken > kReserved) return kOutOfMemory;
  device->used[at] = taken;
  device->used_bytes += taken;
  ++state.told.allocations;
  *address = reinterpret_cast<Address>(device->addresses + at);
  return 0;
}

int cuMemFree_v2(Address address) {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  for (Device& device : state.devices) {
    if (!device.Has(reinterpret_cast<void*>(address))) continue;
    const auto found = device.used.find(address - reinterpret_cast<Address>(device.addresses));
    if (found == device.used.end()) return kInvalidValue;
    device.used_bytes -= found->second;
    device.used.erase(found);
    --state.told.allocations;
    return 0;
  }
  return kInvalidValue;
}

int cuMemHostAlloc(void** data, size_t size, unsigned) {
  State& state = TheState();
  if (Current() == nullptr) return kInvalidContext;
  const std::lock_guard lock(state.mutex);
  if (size == 0) return kInvalidValue;
  if (size > state.told.pinned_bytes) return kOutOfMemory;
  *data = std::aligned_alloc(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment);
  state.pinned[*data] = size;
  ++state.told.pinned;
  return 0;
}

int cuMemFreeHost(void* data) {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  if (state.pinned.erase(data) == 0) return kInvalidValue;
  std::free(data);
  --state.told.pinned;
  return 0;
}

int cuStreamCreate(void** stream, unsigned) {
  State& state = TheState();
  if (contexts.empty()) return kInvalidContext;
  const std::lock_guard lock(state.mutex);
  if (state.told.stream_result != 0) return state.told.stream_result;
  *stream = state.streams.emplace_back(new Stream{.device = contexts.back(), .copies = {}}).get();
  ++state.told.streams;
  return 0;
}

int cuStreamSynchronize(void* handle) {
  auto* const stream = static_cast<Stream*>(handle);
  {
    const std::lock_guard lock(TheState().mutex);
    ++TheState().told.awaited;
  }
  for (const Copy& copy : std::views::reverse(stream->copies)) std::memcpy(copy.to, copy.from, copy.size);
  stream->copies.clear();
  return TheState().told.await_result;
}

int cuMemcpyAsync(Address to, Address from, size_t size, void* handle) {
  State& state = TheState();
  auto* const stream = static_cast<Stream*>(handle);
  if (contexts.empty() || contexts.back() != stream->device) return kInvalidContext;
  const std::lock_guard lock(state.mutex);
  if (state.told.copy_result != 0) return state.told.copy_result;
  ++state.told.copies;
  void* const target = Side(to, size);
  const void* const source = Side(from, size);
  if (target == nullptr || source == nullptr) return kInvalidValue;
  stream->copies.push_back({target, source, size});
  if (IsPinned(state, from) || IsPinned(state, to)) ++state.told.pinned_copies;
  return 0;
}

int cuMemcpyPeerAsync(Address to, void* to_context, Address from, void* from_context, size_t size, void* stream) {
  const auto holds = [](Address address, void* context) {
    const auto device = reinterpret_cast<intptr_t>(context) - 1;
    return device >= 0 && device < kDevicesMax && TheState().devices[device].Has(reinterpret_cast<void*>(address));
  };
  if (!holds(to, to_context) || !holds(from, from_context)) return kInvalidContext;
  return cuMemcpyAsync(to, from, size, stream);
}

// A handle is "memory " and an address, as text.
int cuIpcOpenMemHandle_v2(Address* address, inferd::kit::CudaHandle handle, unsigned) {
  State& state = TheState();
  Device* const device = Current();
  if (device == nullptr) return kInvalidContext;
  const std::lock_guard lock(state.mutex);
  if (std::strncmp(handle.bytes, "memory ", 7) != 0) return kInvalidValue;
  handle.bytes[sizeof(handle.bytes) - 1] = 0;
  *address = std::strtoull(handle.bytes + 7, nullptr, 10);
  if (!device->Holds(*address, 1)) return kInvalidValue;
  ++state.told.opened;
  return 0;
}

int cuIpcCloseMemHandle(Address) {
  const std::lock_guard lock(TheState().mutex);
  --TheState().told.opened;
  return 0;
}

int cuMemGetAddressRange_v2(Address* base, size_t* size, Address address) {
  State& state = TheState();
  Device* const device = Current();
  if (device == nullptr) return kInvalidContext;
  const std::lock_guard lock(state.mutex);
  const auto block = device->used.find(address - reinterpret_cast<Address>(device->addresses));
  if (block == device->used.end()) return kInvalidValue;
  *base = address;
  *size = block->second;
  return 0;
}

int cuGetErrorString(int result, const char** text) {
  switch (result) {
    case kInvalidValue: *text = "invalid argument"; return 0;
    case kOutOfMemory: *text = "out of memory"; return 0;
    case kInvalidDevice: *text = "invalid device ordinal"; return 0;
    case kInvalidContext: *text = "invalid device context"; return 0;
    case 700: *text = "an illegal memory access was encountered"; return 0;
    case 803: *text = "system has unsupported display driver / cuda driver combination"; return 0;
    default: return kInvalidValue;
  }
}

}  // extern "C"
#pragma GCC visibility pop
