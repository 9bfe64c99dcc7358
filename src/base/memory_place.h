#pragma once

#include <cstdint>

namespace inferd::base {

enum class MemoryKind : uint8_t { kCpu = 0, kCpuPinned = 1, kGpu = 2 };  // numbered as in the engine ABI

// Where bytes lie. Four bytes, so that a buffer's block is not larger for it.
struct MemoryPlace {
  MemoryKind kind = MemoryKind::kCpu;
  uint8_t runtime = 0;  // the DeviceMemory that knows it (base/device_memory.h); 0: none
  uint16_t device = 0;  // of memory of a GPU: its number

  // Whether this process's own instructions reach the bytes.
  bool readable() const { return kind != MemoryKind::kGpu; }
  bool operator==(const MemoryPlace&) const = default;
};

}  // namespace inferd::base
