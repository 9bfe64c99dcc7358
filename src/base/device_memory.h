#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/buffer.h"
#include "base/memory_place.h"
#include "base/status.h"

namespace inferd::base {

// Copies from and to memory of a device that are not waited for one by one, nor by what else the device does. They are
// done in any order. One call at a time.
class CopyQueue {
 public:
  // No copy is under way.
  virtual ~CopyQueue() = default;
  // As DeviceMemory::Copy(), but it may be done, or even begin, long after this has returned. Until Await() returns,
  // neither side may be released, `from` not written, and `to` not touched; that holds where this fails, too.
  virtual Status Start(const std::byte* from, MemoryPlace from_place, std::byte* to, MemoryPlace to_place,
                       size_t size) = 0;
  // Returns when every copy is over, done or failed: with the error of the first that failed.
  virtual Status Await() = 0;
};

// Memory of devices, by a library that knows them: a runtime, which has a number in MemoryPlace::runtime. Thread-safe;
// lives as long as the process.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  // On a device, or, of kind kCpuPinned, what the process may have of that. RESOURCE_EXHAUSTED: there is no room.
  virtual Result<Buffer> Allocate(MemoryPlace place, size_t size) = 0;
  // Each is a place of this runtime, or readable. Returns when the bytes are there.
  virtual Status Copy(const std::byte* from, MemoryPlace from_place, std::byte* to, MemoryPlace to_place,
                      size_t size) = 0;
  // A queue for copies from and to the device; the device's memory outlives it. UNIMPLEMENTED: Copy() is all there is.
  virtual Result<std::unique_ptr<CopyQueue>> OpenQueue(uint16_t device);
  // Memory that another process has on a device, by the handle that it was given for it: all of it, for as long as the
  // buffer lives. UNIMPLEMENTED: this runtime opens none there. INVALID_ARGUMENT: it is no such handle.
  virtual Result<Buffer> OpenHandle(uint16_t device, std::string_view handle);
};

// Of the handles that OpenHandle() takes; CUDA's.
inline constexpr size_t kDeviceHandleBytes = 64;

// The runtime's number, from 1; 0: there are 255 of them already.
uint8_t RegisterDeviceMemory(DeviceMemory* memory);
// Null: no runtime has this number.
DeviceMemory* FindDeviceMemory(uint8_t runtime);

// By the first runtime that can: a device's number is another device's in another runtime. Else the first error that
// says more than UNIMPLEMENTED, or that: none opens any.
Result<Buffer> OpenDeviceHandle(uint16_t device, std::string_view handle);

// Copies from any place to any other, between two runtimes through memory of the CPU. INTERNAL: a runtime is not known.
Status CopyBytes(const std::byte* from, MemoryPlace from_place, std::byte* to, MemoryPlace to_place, size_t size);

// `data` itself if it is readable, or else a copy in memory of the CPU. Throws std::bad_alloc.
Result<BufferSlice> Readable(const BufferSlice& data);

}  // namespace inferd::base
