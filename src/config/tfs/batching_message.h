#pragma once

#include "base/status.h"
#include "config/model/model_config_place.h"
#include "config/tfs/server_files.h"
#include "tfs/server_files.pb.h"

namespace inferd::config {

// Reads BatchingParameters from a message at `place` of a file. For this folder's sources.
base::Result<BatchingParameters> ReadBatchingParameters(const tensorflow::serving::BatchingParameters& message,
                                                        const Place& place);

}  // namespace inferd::config
