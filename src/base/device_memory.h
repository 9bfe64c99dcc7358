#pragma once

#include <cstddef>

#include "base/buffer.h"
#include "base/memory_place.h"
#include "base/status.h"

namespace inferd::base {

// Memory of devices, by a library that knows them: a runtime, which has a number in MemoryPlace::runtime. Thread-safe;
// lives as long as the process.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  // RESOURCE_EXHAUSTED: there is no room.
  virtual Result<Buffer> Allocate(MemoryPlace place, size_t size) = 0;
  // Each is a place of this runtime, or readable. Returns when the bytes are there.
  virtual Status Copy(const std::byte* from, MemoryPlace from_place, std::byte* to, MemoryPlace to_place,
                      size_t size) = 0;
};

// The runtime's number, from 1; 0: there are 255 of them already.
uint8_t RegisterDeviceMemory(DeviceMemory* memory);
// Null: no runtime has this number.
DeviceMemory* FindDeviceMemory(uint8_t runtime);

// Copies from any place to any other, between two runtimes through memory of the CPU. INTERNAL: a runtime is not known.
Status CopyBytes(const std::byte* from, MemoryPlace from_place, std::byte* to, MemoryPlace to_place, size_t size);

// `data` itself if it is readable, or else a copy in memory of the CPU. Throws std::bad_alloc.
Result<BufferSlice> Readable(const BufferSlice& data);

}  // namespace inferd::base
