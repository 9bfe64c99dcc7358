#pragma once

#include "base/status.h"
#include "inferd/engine_abi.h"
#include "serving/core/request/infer_request.h"
#include "serving/enginehost/model/loaded_model.h"

namespace inferd::enginehost {

// A copy of a response's named parameters; none of a response of before there were any. INTERNAL: one is nowhere, is of
// an unknown kind, or they cannot be answered (core::CheckResponseParameters). Thread-safe.
base::Result<core::Parameters> TakeParameters(const LoadedModel& model, const inferd_response& response);

}  // namespace inferd::enginehost
