#pragma once

#include <cstdint>

#include "config/memory/gpu_memory.h"
#include "storage/tree_stat.h"

namespace inferd::repository {

// What loads hold, by estimate, of the host's memory and of that of GPUs. No load is taken to hold more than 1 PiB of
// either: sums of many do not overflow.
struct HeldMemory {
  int64_t bytes = 0;
  config::GpuBytes gpus = {};  // where nothing is held, nothing is in it

  static constexpr int64_t kMax = int64_t{1} << 50;

  void Add(const HeldMemory& other, int64_t times = 1);
  void Remove(const HeldMemory& other) { Add(other, -1); }

  bool operator==(const HeldMemory&) const = default;
};

// What a version is taken to hold whose configuration says nothing: the size of its files.
int64_t SizeOf(const storage::TreeStat& files);

}  // namespace inferd::repository
