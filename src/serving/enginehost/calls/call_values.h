#pragma once

#include <memory>

#include "base/status.h"
#include "inferd/engine_abi.h"
#include "serving/core/calls/server_calls.h"

namespace inferd::enginehost {

// Calls of models in the ABI's form and in the server's.

// INVALID_ARGUMENT: it cannot be a request, whatever the model. What an engine points to is copied.
base::Result<std::unique_ptr<core::InferRequest>> ToRequest(const inferd_model_call& call);

base::Result<core::CustomMetricSpec> ToMetricSpec(const inferd_metric& metric);

// `respond` gets the response in the ABI's form, valid until it returns.
void PassResponse(bool submitted, const core::InferResponse& response,
                  void (*respond)(void* arg, const inferd_call_response* response), void* arg);

}  // namespace inferd::enginehost
