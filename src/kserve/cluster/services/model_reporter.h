#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "kserve/cluster/objects/cluster_view.h"
#include "kserve/cluster/objects/status_writer.h"

namespace inferd::cluster {

// The facts about an InferenceService that matter to the TrainedModels that name it.
struct ModelHost {
  bool there = false;
  bool ready = false;
  bool takes_models = false;
  std::optional<int64_t> memory_limit{};  // in bytes; nullopt if there is none
  std::string url{};                      // for predictions
};

// Writes changed statuses of a service's TrainedModels. As with KServe, a status does not say whether the pods have
// loaded the model; only the puller knows that. Thread-safe; calls block.
class ModelReporter final {
 public:
  // `statuses` must outlive the reporter.
  explicit ModelReporter(StatusWriter& statuses) : statuses_(statuses) {}

  // Writes the statuses. Returns the last error, if any. A model that changed meanwhile is reported again later.
  kubernetes::ApiResult<void> Report(const Models& models, const ModelHost& host, const std::stop_token& stop);

 private:
  kubernetes::ApiResult<void> ReportOne(const model::TrainedModel& model, const ModelHost& host, bool fits,
                                        const std::stop_token& stop);

  StatusWriter& statuses_;
};

}  // namespace inferd::cluster
