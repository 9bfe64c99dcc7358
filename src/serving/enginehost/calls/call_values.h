#pragma once

#include <memory>

#include "base/status.h"
#include "inferd/engine_abi.h"
#include "serving/core/calls/server_calls.h"

namespace inferd::enginehost {

// Converts calls of models between the ABI's form and the server's.

// Copies all memory of the engine's. INVALID_ARGUMENT if no model could take the call as a request.
base::Result<std::unique_ptr<core::InferRequest>> ToRequest(const inferd_model_call& call);

base::Result<core::CustomMetricSpec> ToMetricSpec(const inferd_metric& metric);

// Calls `respond` with the response in the ABI's form, which is valid until `respond` returns.
void PassResponse(bool submitted, const core::InferResponse& response,
                  void (*respond)(void* arg, const inferd_call_response* response), void* arg);

}  // namespace inferd::enginehost
