#pragma once

#include <filesystem>

#include "base/status.h"
#include "config/model/model_config.h"

namespace inferd::repository {

// Checks that a model's files have the checksums of the configuration's agent `checksum`. Reads the files completely.
// INVALID_ARGUMENT if one differs, NOT_FOUND if one is missing.
base::Status VerifyChecksums(const config::ModelConfig& config, const std::filesystem::path& model_dir);

}  // namespace inferd::repository
