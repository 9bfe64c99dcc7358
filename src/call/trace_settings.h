#pragma once

#include <string_view>

#include "core/dispatcher.h"
#include "core/tracing.h"

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
    return std::unexpected(found.error());
  }
  return tracing;
}

}  // namespace inferd::call
