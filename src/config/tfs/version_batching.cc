#include "config/tfs/version_batching.h"

#include <string>
#include <system_error>
#include <utility>

#include "base/system/regular_file.h"
#include "config/tfs/server_files.h"

namespace inferd::config {

base::Result<CompletionOptions> WithVersionBatching(CompletionOptions options,
                                                    const std::filesystem::path& version_dir) {
  if (!options.version_batching) return options;
  const std::filesystem::path file = version_dir / kVersionBatchingFile;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    options.default_max_batch_size = 0;
    options.default_batching = {};
    return options;
  }
  INFERD_ASSIGN_OR_RETURN(const std::string text, base::ReadRegularFile(file.string(), kServerFileBytesMax));
  INFERD_ASSIGN_OR_RETURN(BatchingParameters batching, ParseBatchingParameters(text, file.string()));
  options.default_max_batch_size = batching.max_batch_size;
  options.unconfigured_batching = UnconfiguredBatching::kLeadingDimension;  // the file is the operator's statement
  batching.batching.resource = std::move(options.default_batching.resource);
  options.default_batching = std::move(batching.batching);
  return options;
}

}  // namespace inferd::config
