#include "kserve/cluster/services/status_reporter.h"

#include <algorithm>
#include <string>

#include "data/manifest/value_path.h"
#include "kserve/cluster/guard/change_guard.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/model/status/service_status.h"

namespace inferd::cluster {

namespace {

using manifest::TextAt;
using manifest::Value;

// If objects keep their old state, the hosts in the status stay too, whatever the configuration says now.
void KeepAddresses(const Value* before, Value& status) {
  for (const char* key : {"address", "url"}) {
    const Value* const kept = before == nullptr ? nullptr : before->Find(key);
    if (kept != nullptr && status.Find(key) != nullptr) status.Set(key, *kept);
  }
}

}  // namespace

kubernetes::ApiResult<bool> StatusReporter::Report(const Value& live, const model::InferenceService& service,
                                                   const model::ServiceState& state,
                                                   const model::InferenceServiceConfig& config,
                                                   const std::stop_token& stop) {
  const Value* const before = live.Find("status");
  Value status =
      model::MakeServiceStatus(service, state, {.config = config, .gateway_port = 80, .now = statuses_.Now()}, before);
  if (state.notices.contains(kHeldNotice)) KeepAddresses(before, status);
  auto written = statuses_.Write(InferenceServices(), live, status, stop);
  if (written.has_value() && *written) RecordChange(live, before, status, state, stop);
  return written;
}

void StatusReporter::RecordChange(const Value& object, const Value* before, const Value& status,
                                  const model::ServiceState& state, const std::stop_token& stop) {
  const std::string name = TextAt(object, {"metadata", "name"});
  const std::string was = before == nullptr ? std::string() : model::ConditionOf(*before, "Ready");
  const std::string is = model::ConditionOf(status, "Ready");
  if (is == "True" && was != "True") {
    statuses_.Record(object, "Normal", "InferenceServiceReady", "InferenceService [" + name + "] is Ready", stop);
  } else if (is != "True" && was == "True") {
    statuses_.Record(object, "Warning", "InferenceServiceNotReady",
                     "InferenceService [" + name + "] is no longer Ready", stop);
  }
  // Fields without an effect are reported once per change of the service.
  const bool is_news =
      before == nullptr || TextAt(*before, {"observedGeneration"}) != TextAt(status, {"observedGeneration"});
  for (const std::string& field : state.unheeded) {
    if (is_news) statuses_.Record(object, "Normal", "FieldsNotHonored", field, stop);
  }
  for (const auto& [type, notice] : state.notices) {
    if (model::MessageOf(before, type) != notice.message) {
      statuses_.Record(object, "Warning", notice.reason, notice.message, stop);
    }
  }
  if (state.failure.has_value() &&
      model::MessageOf(before, "PredictorReady") != model::MessageOf(&status, "PredictorReady")) {
    statuses_.Record(object, "Warning", "InternalError", "fails to reconcile predictor: " + state.failure->Explain(),
                     stop);
  }
}

}  // namespace inferd::cluster
