#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "kubernetes/client/client.h"
#include "metrics/registry.h"
#include "operator/cluster/cluster_view.h"

namespace inferd::operators {

// The InferenceService that TrainedModels name, as far as it matters to them.
struct ModelHost {
  bool there = false;
  bool ready = false;
  bool takes_models = false;
  std::optional<int64_t> memory_limit{};  // bytes; nullopt: it has none
  std::string url{};                      // of its predictions
};

// Says of the TrainedModels of a service what has become of them: their status, where it has changed. As with KServe,
// it does not say whether the pods have loaded them, which is the puller's to know. Thread-safe; calls block.
class ModelReporter final {
 public:
  // All outlive it.
  ModelReporter(kubernetes::Client& client, const base::Clock& clock, metrics::Registry& metrics);

  // The last error, where there was one. A model that has changed meanwhile is told of again.
  kubernetes::ApiResult<void> Report(const Models& models, const ModelHost& host, const std::stop_token& stop);

 private:
  kubernetes::ApiResult<void> ReportOne(const controlplane::TrainedModel& model, const ModelHost& host, bool fits,
                                        const std::stop_token& stop);

  kubernetes::Client& client_;
  const base::Clock& clock_;
  const std::shared_ptr<metrics::Counter> written_;
};

}  // namespace inferd::operators
