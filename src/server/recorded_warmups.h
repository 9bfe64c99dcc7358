#pragma once

#include <cstdint>
#include <filesystem>

#include "base/status.h"
#include "serving/core/dispatcher.h"
#include "serving/repository/load/warmup.h"

namespace inferd::server {

struct RecordedWarmupOptions {
  uint32_t times = 1;          // how often each request is run
  bool check_methods = false;  // tfs::CheckMethod
};

// What TensorFlow Serving warms a version up with: the requests in its assets.extra/tf_serving_warmup_requests, a
// TFRecord file of at most 1000 PredictionLogs. None: there is no such file. Logs of sessions are passed over.
// INVALID_ARGUMENT: the file is damaged, or a request does not fit the model; tfs::CheckMethod's.
base::Result<repository::RecordedRequests> ReadRecordedWarmups(const std::filesystem::path& version_dir,
                                                               const core::PinnedModel& version,
                                                               const RecordedWarmupOptions& options);

}  // namespace inferd::server
