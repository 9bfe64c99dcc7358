#pragma once

#include <cstdint>
#include <filesystem>

#include "base/status.h"
#include "serving/core/dispatcher.h"
#include "serving/repository/load/warmup.h"

namespace inferd::server {

struct RecordedWarmupOptions {
  uint32_t times = 1;          // executions per request
  bool check_methods = false;  // check signatures with tfs::CheckMethod
};

// Reads the warm-up requests of a version, as TensorFlow Serving does: assets.extra/tf_serving_warmup_requests, a
// TFRecord file of at most 1000 PredictionLogs. Empty if there is no such file. Logs of sessions are ignored.
// INVALID_ARGUMENT if the file is damaged, or a request does not fit the model; otherwise the errors of
// tfs::CheckMethod.
base::Result<repository::RecordedRequests> ReadRecordedWarmups(const std::filesystem::path& version_dir,
                                                               const core::PinnedModel& version,
                                                               const RecordedWarmupOptions& options);

}  // namespace inferd::server
