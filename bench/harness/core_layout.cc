#include "bench/harness/core_layout.h"

#include <optional>

namespace inferd::bench {

namespace {

base::CpuCores& Programs() {
  static base::CpuCores cores = base::ThreadCpuCores();
  return cores;
}

}  // namespace

const base::CpuCores& CoreLayout::OfPrograms() { return Programs(); }

CoreLayout::CoreLayout(const Options& options) {
  const base::CpuCores all = Programs();
  for (const int core : options.awake ? all : base::CpuCores()) {
    spinners_.emplace_back(base::CpuCores{core}, std::nullopt);
  }
  if (options.apart && all.size() > 1 && base::PinThread({all.front()}).ok()) {
    Programs().assign(all.begin() + 1, all.end());
  }
}

}  // namespace inferd::bench
