#pragma once

#include <filesystem>

#include "base/status.h"
#include "config/model/model_config_completion.h"

namespace inferd::config {

// TensorFlow Serving's name of the file in a version's folder: BatchingParameters in text form.
inline constexpr std::string_view kVersionBatchingFile = "batching_params.pbtxt";

// Returns `options` with that file's batching settings in place of the server's defaults, except settings that
// executions share with those of other models. Does so only if CompletionOptions says that versions bring them.
// Requests of a version without the file run one by one (TensorFlow Serving's --enable_per_model_batching_parameters).
// INVALID_ARGUMENT, with file, line and field, if the file is invalid.
base::Result<CompletionOptions> WithVersionBatching(CompletionOptions options,
                                                    const std::filesystem::path& version_dir);

}  // namespace inferd::config
