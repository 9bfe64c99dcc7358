#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocols/tfs/request_log.h"

namespace inferd::server {

// The bytes of a PredictionLog (tensorflow_serving/apis/prediction_log.proto): the call as its kind's log, and in its
// metadata the model that answered, the share of calls that is logged, and when. Pure.
std::string PredictionLogOf(const tfs::LoggedCall& call, const tfs::LoggedCall::Messages& messages,
                            double sampling_rate, int64_t wall_ns);

}  // namespace inferd::server
