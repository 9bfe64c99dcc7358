#include "server/gpus/pinned_metrics.h"

#include <cstdint>

namespace inferd::server {

void RegisterPinnedMetrics(metrics::Registry& registry, const std::shared_ptr<enginehost::PinnedUses>& uses) {
  using Kind = metrics::Registry::CallbackKind;
  using Sum = enginehost::PinnedUses::Sum;
  const auto add = [&](Kind kind, const char* name, const char* help, uint64_t Sum::* number) {
    registry.AddCallback(kind, name, help, {}, [uses, number] { return static_cast<double>(uses->Total().*number); });
  };
  add(Kind::kGauge, "nv_pinned_memory_pool_total_bytes", "Pinned memory pool total memory size, in bytes", &Sum::bytes);
  add(Kind::kGauge, "nv_pinned_memory_pool_used_bytes", "Pinned memory pool used memory size, in bytes", &Sum::used);
  add(Kind::kCounter, "inferd_pinned_memory_blocks_total", "Copies to and from GPUs that went through pinned memory",
      &Sum::blocks);
  add(Kind::kCounter, "inferd_pinned_memory_refusals_total",
      "Copies to and from GPUs for which the pool of pinned memory had no room", &Sum::refusals);
}

}  // namespace inferd::server
