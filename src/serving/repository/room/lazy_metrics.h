#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "base/metrics/registry.h"
#include "serving/repository/records/model_records.h"
#include "serving/repository/room/room_plan.h"

namespace inferd::repository {

// Metrics of models that are loaded on demand. Thread-safe except for Show(). The registry must outlive the object.
struct LazyMetrics {
  LazyMetrics(metrics::Registry& registry, const ModelBudget& budget);

  // Sets the gauges of loaded versions and waiting requests, and of each GPU on which models have held memory. Not
  // thread-safe: guarded by the manager's lock.
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
