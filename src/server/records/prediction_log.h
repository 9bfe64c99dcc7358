#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocols/tfs/request_log.h"

namespace inferd::server {

// Returns an encoded PredictionLog (tensorflow_serving/apis/prediction_log.proto). It contains the call in the log of
// its kind; its metadata has the model that answered, the sampling rate, and the time. Pure.
std::string PredictionLogOf(const tfs::LoggedCall& call, const tfs::LoggedCall::Messages& messages,
                            double sampling_rate, int64_t wall_ns);

}  // namespace inferd::server
