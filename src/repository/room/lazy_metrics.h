#pragma once

#include <cstdint>
#include <memory>

#include "metrics/registry.h"
#include "repository/records/model_records.h"
#include "repository/room/room_plan.h"

namespace inferd::repository {

// What is said of models that are loaded on demand. Thread-safe.
struct LazyMetrics {
  LazyMetrics(metrics::Registry& registry, const ModelBudget& budget);

  // What is loaded and waited for.
  void Show(const RecordTotals& totals) const;

  std::shared_ptr<metrics::Gauge> loaded_bytes;
  std::shared_ptr<metrics::Gauge> loaded_versions;
  std::shared_ptr<metrics::Gauge> waiting_requests;
  std::shared_ptr<metrics::Counter> demand_loads;
  std::shared_ptr<metrics::Counter> evictions;
  std::shared_ptr<metrics::Counter> refusals;
};

}  // namespace inferd::repository
