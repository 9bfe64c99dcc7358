#pragma once

#include <cstdint>

namespace inferd::base {

enum class MemoryKind : uint8_t { kCpu = 0, kCpuPinned = 1, kGpu = 2 };  // numbered as in the engine ABI

// The location of bytes. It takes four bytes, so that it does not enlarge a buffer's block.
struct MemoryPlace {
  MemoryKind kind = MemoryKind::kCpu;
  uint8_t runtime = 0;  // number of the DeviceMemory that manages the bytes (base/device_memory.h); 0 if none does
  uint16_t device = 0;  // the GPU's number, for GPU memory

  // Returns true if this process can read the bytes directly.
  bool readable() const { return kind != MemoryKind::kGpu; }
  bool operator==(const MemoryPlace&) const = default;
};

}  // namespace inferd::base
