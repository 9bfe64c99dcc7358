#pragma once

#include <stop_token>

#include "kserve/cluster/objects/resources.h"
#include "kserve/cluster/objects/status_writer.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/status/service_state.h"

namespace inferd::cluster {

// Says of InferenceServices what has become of them: their status, where it has changed, and events. Thread-safe; calls
// block.
class StatusReporter final {
 public:
  // That outlives it.
  explicit StatusReporter(StatusWriter& statuses) : statuses_(statuses) {}

  // `service`: with its defaults; its document is the live one but for them. A conflict: it has changed meanwhile, and
  // is looked at again. Whether something was written.
  kubernetes::ApiResult<bool> Report(const manifest::Value& live, const model::InferenceService& service,
                                     const model::ServiceState& state, const model::InferenceServiceConfig& config,
                                     const std::stop_token& stop);

  // Says that nothing is decided about the service, since no configuration is known. What its status says stays.
  kubernetes::ApiResult<bool> ReportWaiting(const manifest::Value& live, const model::ObservedCondition& why,
                                            const std::stop_token& stop) {
    return statuses_.WriteNotice(InferenceServices(), live, kConfigNotice, why, stop);
  }

 private:
  void RecordChange(const manifest::Value& object, const manifest::Value* before, const manifest::Value& status,
                    const model::ServiceState& state, const std::stop_token& stop);

  StatusWriter& statuses_;
};

}  // namespace inferd::cluster
