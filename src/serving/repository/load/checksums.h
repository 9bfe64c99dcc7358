#pragma once

#include <filesystem>

#include "base/status.h"
#include "config/model/model_config.h"

namespace inferd::repository {

// Whether a model's files are what the agent `checksum` of its configuration says. INVALID_ARGUMENT: one is another;
// NOT_FOUND: it is not there. Reads them whole, as they are now.
base::Status VerifyChecksums(const config::ModelConfig& config, const std::filesystem::path& model_dir);

}  // namespace inferd::repository
