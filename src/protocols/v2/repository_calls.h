#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "serving/core/model/catalog.h"

// Load and unload calls of Triton's repository extension, made from their parameters. All errors are INVALID_ARGUMENT.
// Pure.

namespace inferd::v2 {

// Make calls without parameters. A model name that could not be a folder's is refused.
base::Result<core::LoadCall> NewLoadCall(std::string_view model, std::string_view repository);
base::Result<core::UnloadCall> NewUnloadCall(std::string_view model, std::string_view repository);

// Adds the parameter `config`: a JSON object that names no other model.
base::Status AddConfig(std::string_view config, core::LoadCall& call);

// Adds the parameter `file:<version>/<path>`. Refuses a path that is absolute or has empty, "." or ".." components.
inline bool NamesFile(std::string_view parameter) { return parameter.starts_with("file:"); }
base::Status AddFile(std::string_view parameter, std::string bytes, core::LoadCall& call);

// Call when all parameters are read: files require a configuration.
base::Status CheckFiles(const core::LoadCall& call);

// Return the errors for unknown parameters.
base::Status UnknownLoadParameter(std::string_view parameter);
base::Status UnknownUnloadParameter(std::string_view parameter);

}  // namespace inferd::v2
