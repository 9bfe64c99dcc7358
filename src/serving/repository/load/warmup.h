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

// Makes one warm-up request, the same each time: its inputs as MakeWarmupData() makes them, of `batch_size` rows if the
// model batches. INVALID_ARGUMENT if a file or a shape does not fit.
base::Result<std::unique_ptr<core::InferRequest>> MakeWarmupRequest(const config::Warmup& warmup,
                                                                    const std::string& model, bool batches,
                                                                    const std::filesystem::path& dir);

// Recorded requests from a version's folder, for its warm-up.
struct RecordedRequests {
  std::vector<std::unique_ptr<core::InferRequest>> requests;
  size_t records = 0;  // the records that they are made of. 0 if nothing is recorded
};

// Reads the recorded requests. An error fails the load.
using RecordedWarmups = std::function<base::Result<RecordedRequests>(const std::filesystem::path& version_dir,
                                                                     const core::PinnedModel& version)>;

// Sends the requests to the version, one after the other, and waits for the responses. Blocks. Stops at the first
// error.
base::Status WarmUpWith(const std::shared_ptr<const core::ModelVersion>& version,
                        std::vector<std::unique_ptr<core::InferRequest>> requests);

// Sends every warm-up request `count` times to each of the version's instances, as many at a time as there are
// instances, and waits for the responses. Blocks. Stops at the first error. `logger` gets a verbose line for each
// warm-up; it may be null.
base::Status WarmUp(const std::shared_ptr<const core::ModelVersion>& version,
                    const std::vector<config::Warmup>& warmups, const std::filesystem::path& dir, size_t instances,
                    base::Logger* logger = nullptr);

}  // namespace inferd::repository
