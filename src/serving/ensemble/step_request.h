#pragma once

#include <memory>

#include "serving/core/model_version.h"
#include "serving/core/request/infer_request.h"
#include "serving/ensemble/plan.h"

namespace inferd::ensemble {

// The request of a step, with what it has of the ensemble's own: priority, timeouts, parameters, sequence, trace. Its
// inputs, its flow and what cancels it are the caller's. `version`: which one will answer; null: it is not known yet.
std::unique_ptr<core::InferRequest> StepRequest(const core::InferRequest& request, const Plan& plan,
                                                const Plan::Step& step, const Plan::Call& call,
                                                const core::ModelVersion* version);

}  // namespace inferd::ensemble
