#pragma once

#include <cstdint>
#include <string>

#include "data/manifest/value.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/status/service_state.h"

namespace inferd::model {

// What a status is made of beside the service and its state.
struct StatusContext {
  const InferenceServiceConfig& config;
  uint16_t gateway_port = 80;  // that URLs name; 80: they need not
  std::string now;             // RFC 3339, for what has changed
};

// The status of an InferenceService (KServe 0.10: InferenceServiceStatus): conditions, URLs, revisions and traffic of
// its components, and the state of its model. `before` is the one that it had, whose times stay where nothing has
// changed; null: none. A condition that is not True says why in words of ours, where KServe leaves it open.
// Thread-safe.
manifest::Value MakeServiceStatus(const InferenceService& service, const ServiceState& state,
                                  const StatusContext& context, const manifest::Value* before);

// What a status says of a component's revisions; each name may be empty.
struct WrittenRollout {
  std::string latest_created;
  Rollout rollout;
};
WrittenRollout ReadRollout(const manifest::Value& service, ComponentKind kind);

// "True", "False", "Unknown" of a condition; empty: there is none.
std::string ConditionOf(const manifest::Value& status, std::string_view type);
// Its message; empty: there is none. `status` may be null.
std::string MessageOf(const manifest::Value* status, std::string_view type);

// A condition that does not decide about Ready, without a time.
manifest::Value NoticeCondition(std::string_view type, const ObservedCondition& notice);
// The status with that condition in place of the one that it had of the type, and all else as it was. `before` may be
// null.
manifest::Value WithNotice(const manifest::Value* before, std::string_view type, const ObservedCondition& notice);

}  // namespace inferd::model
