#pragma once

#include <stop_token>

#include "controlplane/api/inference_service.h"
#include "controlplane/api/inference_service_config.h"
#include "controlplane/status/service_state.h"
#include "operator/cluster/status_writer.h"

namespace inferd::operators {

// Says of InferenceServices what has become of them: their status, where it has changed, and events. Thread-safe; calls
// block.
class StatusReporter final {
 public:
  // That outlives it.
  explicit StatusReporter(StatusWriter& statuses) : statuses_(statuses) {}

  // `service`: with its defaults; its document is the live one but for them. A conflict: it has changed meanwhile, and
  // is looked at again. Whether something was written.
  kubernetes::ApiResult<bool> Report(const manifest::Value& live, const controlplane::InferenceService& service,
                                     const controlplane::ServiceState& state,
                                     const controlplane::InferenceServiceConfig& config, const std::stop_token& stop);

 private:
  void RecordChange(const manifest::Value& object, const manifest::Value* before, const manifest::Value& status,
                    const controlplane::ServiceState& state, const std::stop_token& stop);

  StatusWriter& statuses_;
};

}  // namespace inferd::operators
