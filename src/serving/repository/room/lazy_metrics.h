#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "base/metrics/registry.h"
#include "serving/repository/records/model_records.h"
#include "serving/repository/room/room_plan.h"

namespace inferd::repository {

// What is said of models that are loaded on demand. Thread-safe but for Show(). The registry outlives it.
struct LazyMetrics {
  LazyMetrics(metrics::Registry& registry, const ModelBudget& budget);

  // What is loaded and waited for; of GPUs, those that models have held any memory of. Not thread-safe: guarded by the
  // manager's lock.
  void Show(const RecordTotals& totals);

  std::shared_ptr<metrics::Gauge> loaded_bytes;
  std::shared_ptr<metrics::Gauge> loaded_versions;
  std::shared_ptr<metrics::Gauge> waiting_requests;
  std::shared_ptr<metrics::Counter> demand_loads;
  std::shared_ptr<metrics::Counter> evictions;
  std::shared_ptr<metrics::Counter> refusals;

 private:
  metrics::Registry& registry_;
  std::map<int32_t, std::shared_ptr<metrics::Gauge>> gpu_bytes_;
};

}  // namespace inferd::repository
