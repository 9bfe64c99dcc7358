#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/buffer.h"
#include "base/memory_place.h"
#include "base/status.h"

namespace inferd::base {

// A queue of copies from and to a device's memory. The copies run asynchronously and in any order, and do not wait for
// the device's other work. One call at a time.
class CopyQueue {
 public:
  // No copy may be in flight.
  virtual ~CopyQueue() = default;
  // Starts a copy like DeviceMemory::Copy(). The copy may begin and end long after this call has returned. Until
  // Await() returns, the caller must not release either side, write `from` or touch `to`, even if this call fails.
  virtual Status Start(const std::byte* from, MemoryPlace from_place, std::byte* to, MemoryPlace to_place,
                       size_t size) = 0;
  // Waits until every copy has succeeded or failed. Returns the error of the first that failed.
  virtual Status Await() = 0;
};

// Memory of devices, through a runtime library that manages it. MemoryPlace::runtime holds the runtime's number.
// Thread-safe; lives as long as the process.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  // Allocates memory on a device, or pinned memory of the process for kCpuPinned. RESOURCE_EXHAUSTED if there is no
  // room.
  virtual Result<Buffer> Allocate(MemoryPlace place, size_t size) = 0;
  // Copies bytes and returns when they have arrived. Each side is a place of this runtime, or readable.
  virtual Status Copy(const std::byte* from, MemoryPlace from_place, std::byte* to, MemoryPlace to_place,
                      size_t size) = 0;
  // Opens a queue for copies from and to the device. The device's memory must outlive the queue. UNIMPLEMENTED if the
  // runtime has only Copy().
  virtual Result<std::unique_ptr<CopyQueue>> OpenQueue(uint16_t device);
  // Opens all of another process's memory on a device by its exported handle, for the buffer's lifetime. UNIMPLEMENTED
  // if this runtime cannot open handles there. INVALID_ARGUMENT if the handle is invalid.
  virtual Result<Buffer> OpenHandle(uint16_t device, std::string_view handle);
};

// The size of the handles that OpenHandle() takes, which are CUDA's.
inline constexpr size_t kDeviceHandleBytes = 64;

// Registers a runtime and returns its number, from 1. Returns 0 if there are 255 runtimes already.
uint8_t RegisterDeviceMemory(DeviceMemory* memory);
// Null if no runtime has this number.
DeviceMemory* FindDeviceMemory(uint8_t runtime);

// Opens the handle with the first runtime that can, since runtimes may number the same device differently. Otherwise
// returns the first error other than UNIMPLEMENTED, or UNIMPLEMENTED if no runtime opens handles.
Result<Buffer> OpenDeviceHandle(uint16_t device, std::string_view handle);

// Copies from any place to any other. Copies between two runtimes go through CPU memory. INTERNAL if a runtime is
// unknown.
Status CopyBytes(const std::byte* from, MemoryPlace from_place, std::byte* to, MemoryPlace to_place, size_t size);

// Returns `data` itself if it is readable, otherwise a copy in CPU memory. Throws std::bad_alloc.
Result<BufferSlice> Readable(const BufferSlice& data);

}  // namespace inferd::base
