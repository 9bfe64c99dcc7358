#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "serving/core/dispatcher.h"
#include "serving/core/tracing.h"

// Triton's trace extension.

namespace inferd::call {

// Returns the owner of the trace settings of a model, or of all models if the name is empty. UNIMPLEMENTED if this
// server does not trace requests. NOT_FOUND if there is no such model. With `ready_only`, as in Triton,
// INVALID_ARGUMENT if the model is unknown or not ready.
inline base::Result<core::Tracing*> TracingOf(core::Dispatcher& dispatcher, std::string_view model, bool ready_only) {
  core::Tracing* const tracing = dispatcher.tracing();
  if (tracing == nullptr) return std::unexpected(base::Unimplemented("tracing is not served"));
  if (model.empty()) return tracing;
  const auto found = dispatcher.Find(model, "");
  if (found.has_value()) return tracing;
  const std::string text = "Request for unknown model : " + std::string(model);
  if (ready_only) return std::unexpected(base::InvalidArgument(text));
  if (found.error().code() == base::StatusCode::kNotFound) return std::unexpected(base::NotFound(text));
  return tracing;
}

// Adds a trace to the request if it is sampled; `version` answers it. Returns the trace, or null.
inline std::shared_ptr<core::RequestTrace> BeginTrace(core::Dispatcher& dispatcher, core::InferRequest& request,
                                                      std::string_view version,
                                                      core::TraceSubject::Transport transport) {
  core::Tracing* const tracing = dispatcher.tracing();
  if (tracing == nullptr) return nullptr;
  return request.trace = tracing->Begin({.model = request.model_name,
                                         .version = version,
                                         .request_id = request.id,
                                         .traceparent = request.traceparent,
                                         .transport = transport,
                                         .received_ns = request.received_ns});
}

}  // namespace inferd::call
