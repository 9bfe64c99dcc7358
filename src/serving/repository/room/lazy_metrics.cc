#include "serving/repository/room/lazy_metrics.h"

#include <string>

namespace inferd::repository {

LazyMetrics::LazyMetrics(metrics::Registry& registry, const ModelBudget& budget)
    : loaded_bytes(
          registry.AddGauge("inferd_loaded_models_bytes",
                            "Memory of the model versions that are loaded, being loaded or ending, by estimate", {})),
      loaded_versions(
          registry.AddGauge("inferd_loaded_models", "Model versions that are loaded, being loaded or ending", {})),
      waiting_requests(
          registry.AddGauge("inferd_load_waiting_requests", "Requests that wait for a model to be loaded", {})),
      demand_loads(registry.AddCounter("inferd_demand_loads_total", "Loads begun because a request needed them", {})),
      evictions(registry.AddCounter("inferd_model_evictions_total", "Versions unloaded to make room for others", {})),
      refusals(registry.AddCounter("inferd_load_refusals_total", "Loads refused because they do not fit", {})),
      registry_(registry) {
  registry.AddGauge("inferd_model_memory_budget_bytes", "What loaded models may hold together; 0: no limit", {})
      ->Set(budget.bytes_max);
  registry
      .AddGauge("inferd_gpu_memory_budget_bytes", "What loaded models may hold of each GPU together; 0: no limit", {})
      ->Set(budget.gpu_bytes_max);
  registry.AddGauge("inferd_loaded_models_max", "Model versions that may be loaded at a time; 0: no limit", {})
      ->Set(budget.versions_max);
}

void LazyMetrics::Show(const RecordTotals& totals) {
  for (const auto& [gpu, held] : totals.resident.gpus) {
    std::shared_ptr<metrics::Gauge>& gauge = gpu_bytes_[gpu];
    if (gauge != nullptr) continue;
    gauge = registry_.AddGauge("inferd_loaded_models_gpu_bytes",
                               "Memory of the GPU that these model versions hold, by estimate",
                               {{"gpu", std::to_string(gpu)}});
  }
  for (const auto& [gpu, gauge] : gpu_bytes_) {
    const auto held = totals.resident.gpus.find(gpu);
    gauge->Set(held == totals.resident.gpus.end() ? 0 : held->second);
  }
  loaded_bytes->Set(totals.resident.bytes);
  loaded_versions->Set(totals.resident_versions);
  waiting_requests->Set(totals.waiting);
}

}  // namespace inferd::repository
