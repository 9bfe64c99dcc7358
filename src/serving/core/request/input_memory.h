#pragma once

#include <cstddef>

#include "base/buffer.h"

namespace inferd::core {

// Memory in which an engine can read inputs without a copy. Put bytes there that will become its inputs. Thread-safe. A
// buffer keeps this object alive.
class InputMemory {
 public:
  // Below this size, a copy costs no more than an allocation here.
  static constexpr size_t kWorthwhileBytes = 64 * 1024;

  virtual ~InputMemory() = default;
  // As base::Buffer::Allocate. Returns an empty buffer if there is no room now; use any other memory then.
  virtual base::Buffer Allocate(size_t size, size_t align_at) = 0;
};

}  // namespace inferd::core
