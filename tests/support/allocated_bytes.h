#pragma once

#include <cstddef>

#include "tests/support/sanitizers.h"

#ifdef INFERD_UNDER_SANITIZER
extern "C" size_t __sanitizer_get_current_allocated_bytes();  // of the sanitizers' allocator interface
#else
#include <malloc.h>
#endif

namespace inferd::support {

// What this process has allocated and not freed, without what the allocator keeps for itself.
inline size_t AllocatedBytes() {
#ifdef INFERD_UNDER_SANITIZER
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

}  // namespace inferd::support
