#pragma once

#include <cstddef>

#include "base/buffer.h"

namespace inferd::core {

// Memory that an engine sees where it is, when others would be copied for it: what is to become its inputs is best put
// there to begin with. Thread-safe. A buffer keeps it alive.
class InputMemory {
 public:
  // To copy what is shorter costs no more than to ask for memory.
  static constexpr size_t kWorthwhileBytes = 64 * 1024;

  virtual ~InputMemory() = default;
  // As base::Buffer::Allocate; no buffer: there is no room now, and any other memory does, too.
  virtual base::Buffer Allocate(size_t size, size_t align_at) = 0;
};

}  // namespace inferd::core
