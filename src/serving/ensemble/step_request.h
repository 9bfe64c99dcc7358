#pragma once

#include <memory>

#include "serving/core/model_version.h"
#include "serving/core/request/infer_request.h"
#include "serving/ensemble/plan.h"

namespace inferd::ensemble {

// Makes the request of a step, with the ensemble's own priority, timeouts, parameters, sequence and trace. The caller
// adds inputs, flow and cancel flag. `version` is the version that will answer; null if it is not known yet.
std::unique_ptr<core::InferRequest> StepRequest(const core::InferRequest& request, const Plan& plan,
                                                const Plan::Step& step, const Plan::Call& call,
                                                const core::ModelVersion* version);

}  // namespace inferd::ensemble
