#include "base/system/allocator.h"

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <utility>

// Of tcmalloc; null where the program is linked without it.
extern "C" {
__attribute__((weak)) void MallocExtension_ReleaseFreeMemory();
__attribute__((weak)) void MallocExtension_ReleaseToSystem(size_t bytes);
__attribute__((weak)) int MallocExtension_GetNumericProperty(const char* name, size_t* value);
}

namespace inferd::base {

namespace {

constexpr size_t kFreeBytesMax = 32 << 20;  // with glibc at the end of each arena

}  // namespace

// Few arenas: threads that load models leave less memory behind that only they could use again.
//
// Tensors up to a few megabytes are kept for the next request, as tcmalloc does: by default glibc gives them back to
// the system with every free, and each page costs a fault when it is next touched, which doubled what a request of 1 MB
// costs.
void TuneAllocator() {
  if (MallocExtension_ReleaseFreeMemory != nullptr) return;
  constexpr int kMappedBytesMin = 8 << 20;  // from here on as large as the bodies that net::BodyPool does not keep
  mallopt(M_ARENA_MAX, 4);
  mallopt(M_MMAP_THRESHOLD, kMappedBytesMin);
  mallopt(M_TRIM_THRESHOLD, kFreeBytesMax);
}

// Once a large block was given back, tcmalloc itself waits until gigabytes more were freed, which an idle server does
// not do.
void TrimFreeMemory() {
  if (MallocExtension_GetNumericProperty == nullptr || MallocExtension_ReleaseToSystem == nullptr) return;
  static size_t free_before = 0;
  size_t free_bytes = 0;
  if (MallocExtension_GetNumericProperty("tcmalloc.pageheap_free_bytes", &free_bytes) == 0) return;
  const size_t unused = std::min(std::exchange(free_before, free_bytes), free_bytes);
  // tcmalloc holds the lock of all large allocations until it has given back as much as it is told to.
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
