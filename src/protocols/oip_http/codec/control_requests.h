#pragma once

#include <string>
#include <string_view>

#include "base/logging.h"
#include "base/status.h"
#include "protocols/v2/log_settings.h"
#include "serving/core/model/catalog.h"
#include "serving/core/tracing.h"

// The bodies of Triton's repository, logging and trace extensions. Pure. An empty body is an empty object; anything
// malformed or unknown is INVALID_ARGUMENT.

namespace inferd::oip_http {

// {"ready": bool}: whether only what is ready is asked for.
base::Result<bool> ReadIndexRequest(std::string_view body);

// {"parameters": {"config": "<ModelConfig as JSON>", "file:<version>/<path>": "<base64>"}}. A name that could not be a
// folder is refused, a config that is not a JSON object or names another model, files without a config, and paths that
// are absolute or have empty, "." or ".." parts.
base::Result<core::LoadCall> ReadLoadRequest(std::string_view body, std::string_view model,
                                             std::string_view repository);

// {"parameters": {"unload_dependents": bool}}.
base::Result<core::UnloadCall> ReadUnloadRequest(std::string_view body, std::string_view model,
                                                 std::string_view repository);

base::Result<v2::LogSettings> ReadLogSettings(std::string_view body);
// Settings of traces to change: a text, a number, a list of texts, or null, as it was at the start.
base::Result<core::Tracing::Changes> ReadTraceSettings(std::string_view body);
std::string TraceSettingsJson(const core::Tracing::Settings& settings);
// The settings in force, as GET and POST v2/logging answer them.
std::string LogSettingsJson(const base::Logger& logger);

}  // namespace inferd::oip_http
