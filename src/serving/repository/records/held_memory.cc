#include "serving/repository/records/held_memory.h"

#include <algorithm>

namespace inferd::repository {

void HeldMemory::Add(const HeldMemory& other, int64_t times) {
  bytes += times * other.bytes;
  if (times == 0) return;
  for (const auto& [gpu, held] : other.gpus) {
    if ((gpus[gpu] += times * held) == 0) gpus.erase(gpu);
  }
}

// Limits the sum, as files may claim any size.
int64_t SizeOf(const storage::TreeStat& files) {
  int64_t bytes = 0;
  for (const storage::FileStat& file : files.files) {
    bytes += static_cast<int64_t>(std::min<uint64_t>(file.size, static_cast<uint64_t>(HeldMemory::kMax - bytes)));
  }
  return bytes;
}

}  // namespace inferd::repository
