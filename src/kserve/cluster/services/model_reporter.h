#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "kserve/cluster/objects/cluster_view.h"
#include "kserve/cluster/objects/status_writer.h"

namespace inferd::cluster {

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
  // That outlives it.
  explicit ModelReporter(StatusWriter& statuses) : statuses_(statuses) {}

  // The last error, where there was one. A model that has changed meanwhile is told of again.
  kubernetes::ApiResult<void> Report(const Models& models, const ModelHost& host, const std::stop_token& stop);

 private:
  kubernetes::ApiResult<void> ReportOne(const model::TrainedModel& model, const ModelHost& host, bool fits,
                                        const std::stop_token& stop);

  StatusWriter& statuses_;
};

}  // namespace inferd::cluster
