#pragma once

#include <stop_token>

#include "kserve/cluster/objects/resources.h"
#include "kserve/cluster/objects/status_writer.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/status/service_state.h"

namespace inferd::cluster {

// Writes changed statuses of InferenceServices, and events. Thread-safe; calls block.
class StatusReporter final {
 public:
  // `statuses` must outlive the reporter.
  explicit StatusReporter(StatusWriter& statuses) : statuses_(statuses) {}

  // Writes the status if it changed, and returns true if it did. `service` is the live service with defaults. A
  // conflict means that the service has changed meanwhile; the caller must reconcile it again.
  kubernetes::ApiResult<bool> Report(const manifest::Value& live, const model::InferenceService& service,
                                     const model::ServiceState& state, const model::InferenceServiceConfig& config,
                                     const std::stop_token& stop);

  // Reports that no decision is possible because no configuration is known. The rest of the status stays.
  kubernetes::ApiResult<bool> ReportWaiting(const manifest::Value& live, const model::ObservedCondition& why,
                                            const std::stop_token& stop) {
    return statuses_.WriteNotice(InferenceServices(), live, kConfigNotice, why, stop);
  }
  // Reports that the objects that its pods' credentials come from cannot be read.
  kubernetes::ApiResult<bool> ReportUnread(const manifest::Value& live, const model::ObservedCondition& why,
                                           const std::stop_token& stop) {
    return statuses_.WriteNotice(InferenceServices(), live, "CredentialsCurrent", why, stop);
  }

 private:
  void RecordChange(const manifest::Value& object, const manifest::Value* before, const manifest::Value& status,
                    const model::ServiceState& state, const std::stop_token& stop);

  StatusWriter& statuses_;
};

}  // namespace inferd::cluster
