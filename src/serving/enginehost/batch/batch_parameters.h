#pragma once

#include "base/status.h"
#include "inferd/engine_abi.h"
#include "serving/core/request/infer_request.h"
#include "serving/enginehost/model/loaded_model.h"

namespace inferd::enginehost {

// Copies a response's named parameters. Empty for responses of engines that are older than parameters. INTERNAL if a
// parameter has no memory, has an unknown kind, or breaks a rule of core::CheckResponseParameters. Thread-safe.
base::Result<core::Parameters> TakeParameters(const LoadedModel& model, const inferd_response& response);

}  // namespace inferd::enginehost
