#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "serving/core/dispatcher.h"
#include "serving/core/tracing.h"

// Triton's trace extension.

namespace inferd::call {

// What has the settings of traces, of a model or, with an empty name, of all. UNIMPLEMENTED: requests are not traced
// here. NOT_FOUND: no such model.
inline base::Result<core::Tracing*> TracingOf(core::Dispatcher& dispatcher, std::string_view model) {
  core::Tracing* const tracing = dispatcher.tracing();
  if (tracing == nullptr) return std::unexpected(base::Unimplemented("tracing is not served"));
  if (model.empty()) return tracing;
  // One that is known and not loaded has settings, too.
  const auto found = dispatcher.Find(model, "");
  if (!found.has_value() && found.error().code() == base::StatusCode::kNotFound) {
    return std::unexpected(base::NotFound("Request for unknown model : " + std::string(model)));
  }
  return tracing;
}

// Has the request carry a trace, if it is one of those that are traced; `version` answers it. The trace, or null.
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
