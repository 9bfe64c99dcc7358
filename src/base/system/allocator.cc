#include "base/system/allocator.h"

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <utility>

// tcmalloc's functions; null if the program is linked without it.
extern "C" {
__attribute__((weak)) void MallocExtension_ReleaseFreeMemory();
__attribute__((weak)) void MallocExtension_ReleaseToSystem(size_t bytes);
__attribute__((weak)) int MallocExtension_GetNumericProperty(const char* name, size_t* value);
}

namespace inferd::base {

namespace {

constexpr size_t kFreeBytesMax = 32 << 20;  // with glibc at the end of each arena

}  // namespace

// Uses few arenas: memory that a model-loading thread frees stays in its arena, where other threads cannot use it.
// | Keeps tensors of up to a few megabytes for the next request, as tcmalloc does. By default glibc returns them to the
// system with every free, and each page costs a fault at its next use, which doubled the cost of a 1 MB request.
void TuneAllocator() {
  if (MallocExtension_ReleaseFreeMemory != nullptr) return;
  constexpr int kMappedBytesMin = 8 << 20;  // from here on as large as the bodies that net::BodyPool does not keep
  mallopt(M_ARENA_MAX, 4);
  mallopt(M_MMAP_THRESHOLD, kMappedBytesMin);
  mallopt(M_TRIM_THRESHOLD, kFreeBytesMax);
}

// After it has returned a large block, tcmalloc itself waits until gigabytes more are freed, which never happens on an
// idle server.
void TrimFreeMemory() {
  if (MallocExtension_GetNumericProperty == nullptr || MallocExtension_ReleaseToSystem == nullptr) return;
  static size_t free_before = 0;
  size_t free_bytes = 0;
  if (MallocExtension_GetNumericProperty("tcmalloc.pageheap_free_bytes", &free_bytes) == 0) return;
  const size_t unused = std::min(std::exchange(free_before, free_bytes), free_bytes);
  // tcmalloc holds the lock of all large allocations until it has returned the whole requested amount.
  constexpr size_t kAtOnce = 16 << 20;
  for (size_t left = unused - std::min(unused, kFreeBytesMax); left > 0; left -= std::min(left, kAtOnce)) {
    MallocExtension_ReleaseToSystem(std::min(left, kAtOnce));
  }
}

void ReturnFreeMemory() {
  if (MallocExtension_ReleaseFreeMemory != nullptr) {
    MallocExtension_ReleaseFreeMemory();
  } else {
    malloc_trim(0);
  }
}

}  // namespace inferd::base
