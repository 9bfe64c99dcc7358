#pragma once

#include "base/logging.h"
#include "base/status.h"
#include "oip/grpc_service.pb.h"
#include "protocols/v2/log_settings.h"
#include "serving/core/model/catalog.h"
#include "serving/core/tracing.h"

// The messages of Triton's repository and logging extensions. Pure. Errors are INVALID_ARGUMENT and name the parameter
// or setting, the expected and the actual value.

namespace inferd::oip_grpc {

// Reads the parameters `config` (string_param) and `file:<version>/<path>` (bytes_param). For the rules see
// protocols/v2/repository_calls.h.
base::Result<core::LoadCall> ReadLoadRequest(inference::RepositoryModelLoadRequest request);

// Reads the parameter `unload_dependents` (bool_param).
base::Result<core::UnloadCall> ReadUnloadRequest(const inference::RepositoryModelUnloadRequest& request);

base::Result<v2::LogSettings> ReadLogSettings(const inference::LogSettingsRequest& request);
// A setting without values is reset to its initial value.
core::Tracing::Changes ReadTraceSettings(const inference::TraceSettingRequest& request);
inference::TraceSettingResponse TraceSettingsMessage(const core::Tracing::Settings& settings);
inference::LogSettingsResponse LogSettingsMessage(const base::Logger& logger);

}  // namespace inferd::oip_grpc
