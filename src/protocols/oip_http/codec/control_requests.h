#pragma once

#include <string>
#include <string_view>

#include "base/logging.h"
#include "base/status.h"
#include "protocols/v2/log_settings.h"
#include "serving/core/model/catalog.h"
#include "serving/core/tracing.h"

// The bodies of Triton's repository, logging and trace extensions. Pure. An empty body counts as an empty object.
// Malformed or unknown content is INVALID_ARGUMENT.

namespace inferd::oip_http {

// Reads {"ready": bool}. Returns true if only ready models are requested.
base::Result<bool> ReadIndexRequest(std::string_view body);

// Reads {"parameters": {"config": "<ModelConfig as JSON>", "file:<version>/<path>": "<base64>"}}. Refuses a name that
// could not be a folder, a config that is not a JSON object or names another model, files without a config, and paths
// that are absolute or have empty, "." or ".." components.
base::Result<core::LoadCall> ReadLoadRequest(std::string_view body, std::string_view model,
                                             std::string_view repository);

// Reads {"parameters": {"unload_dependents": bool}}.
base::Result<core::UnloadCall> ReadUnloadRequest(std::string_view body, std::string_view model,
                                                 std::string_view repository);

base::Result<v2::LogSettings> ReadLogSettings(std::string_view body);
// Reads trace settings to change: a text, a number, a list of texts, or null for the initial value.
base::Result<core::Tracing::Changes> ReadTraceSettings(std::string_view body);
std::string TraceSettingsJson(const core::Tracing::Settings& settings);
// Returns the current settings, as GET and POST v2/logging answer them.
std::string LogSettingsJson(const base::Logger& logger);

}  // namespace inferd::oip_http
