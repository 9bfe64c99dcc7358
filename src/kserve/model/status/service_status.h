#pragma once

#include <cstdint>
#include <string>

#include "data/manifest/value.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/status/service_state.h"

namespace inferd::model {

// The inputs of a status besides the service and its state.
struct StatusContext {
  const InferenceServiceConfig& config;
  uint16_t gateway_port = 80;  // port in URLs; 80 is left out
  std::string now;             // RFC 3339; the time of changed conditions
};

// Returns the status of an InferenceService (KServe 0.10: InferenceServiceStatus): conditions, URLs, the components'
// revisions and traffic, and the model's state. `before` is the previous status, or null. Unchanged conditions keep its
// times. A condition that is not True explains why in inferd's words, where KServe gives no message. Thread-safe.
manifest::Value MakeServiceStatus(const InferenceService& service, const ServiceState& state,
                                  const StatusContext& context, const manifest::Value* before);

// The revisions of a component that a status names. Each name may be empty.
struct WrittenRollout {
  std::string latest_created;
  Rollout rollout;
};
WrittenRollout ReadRollout(const manifest::Value& service, ComponentKind kind);

// Returns "True", "False" or "Unknown" for a condition. Empty if there is no such condition.
std::string ConditionOf(const manifest::Value& status, std::string_view type);
// Returns a condition's message. Empty if there is no such condition. `status` may be null.
std::string MessageOf(const manifest::Value* status, std::string_view type);

// Returns a condition that does not affect Ready, without a time.
manifest::Value NoticeCondition(std::string_view type, const ObservedCondition& notice);
// Returns the status with this condition instead of its old one of the same type. The rest is unchanged. `before` may
// be null.
manifest::Value WithNotice(const manifest::Value* before, std::string_view type, const ObservedCondition& notice);

}  // namespace inferd::model
