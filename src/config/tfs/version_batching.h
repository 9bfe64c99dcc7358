#pragma once

#include <filesystem>

#include "base/status.h"
#include "config/model/model_config_completion.h"

namespace inferd::config {

// TensorFlow Serving's name of it, in a version's folder: BatchingParameters in text form.
inline constexpr std::string_view kVersionBatchingFile = "batching_params.pbtxt";

// `options` with what that file says in place of the server's own defaults for batching, all but what executions share
// with those of other models, if CompletionOptions says that versions bring them; of a version without the file,
// requests run one by one (TensorFlow Serving's --enable_per_model_batching_parameters). INVALID_ARGUMENT with file,
// line and field: it cannot be.
base::Result<CompletionOptions> WithVersionBatching(CompletionOptions options,
                                                    const std::filesystem::path& version_dir);

}  // namespace inferd::config
