#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "base/logging.h"
#include "base/status.h"
#include "config/model/model_config.h"
#include "serving/core/model_version.h"

namespace inferd::repository {

// One request of a warm-up, the same each time: its inputs as MakeWarmupData says, of `batch_size` rows for a model
// that batches. INVALID_ARGUMENT: a file or a shape that does not fit.
base::Result<std::unique_ptr<core::InferRequest>> MakeWarmupRequest(const config::Warmup& warmup,
                                                                    const std::string& model, bool batches,
                                                                    const std::filesystem::path& dir);

// Requests that lie recorded in a version's folder, to warm it up with.
struct RecordedRequests {
  std::vector<std::unique_ptr<core::InferRequest>> requests;
  size_t records = 0;  // which they are made of; 0: there is nothing recorded
};

// Reads them. Errors end the load.
using RecordedWarmups = std::function<base::Result<RecordedRequests>(const std::filesystem::path& version_dir,
                                                                     const core::PinnedModel& version)>;

// Sends them to the version, one after the other, and waits for the answers. Blocks. The first error ends it.
base::Status WarmUpWith(const std::shared_ptr<const core::ModelVersion>& version,
                        std::vector<std::unique_ptr<core::InferRequest>> requests);

// Sends every warm-up request `count` times to each of the version's instances, as many at a time, and waits for the
// answers. Blocks. The first error ends it. `logger` gets a verbose line for each; null: none does.
base::Status WarmUp(const std::shared_ptr<const core::ModelVersion>& version,
                    const std::vector<config::Warmup>& warmups, const std::filesystem::path& dir, size_t instances,
                    base::Logger* logger = nullptr);

}  // namespace inferd::repository
