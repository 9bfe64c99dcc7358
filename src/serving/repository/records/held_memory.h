#pragma once

#include <cstdint>

#include "config/memory/gpu_memory.h"
#include "storage/tree_stat.h"

namespace inferd::repository {

// The estimated memory that loads hold, on the host and on GPUs. One load counts for at most 1 PiB of either, so that
// sums of many loads do not overflow.
struct HeldMemory {
  int64_t bytes = 0;
  config::GpuBytes gpus = {};  // only GPUs on which memory is held

  static constexpr int64_t kMax = int64_t{1} << 50;

  void Add(const HeldMemory& other, int64_t times = 1);
  void Remove(const HeldMemory& other) { Add(other, -1); }

  bool operator==(const HeldMemory&) const = default;
};

// Returns the size of the version's files: the estimate for a version whose configuration states no memory.
int64_t SizeOf(const storage::TreeStat& files);

}  // namespace inferd::repository
