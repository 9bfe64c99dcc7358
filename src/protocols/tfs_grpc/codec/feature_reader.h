#pragma once

#include <span>

#include "base/status.h"
#include "data/wire/reader.h"
#include "protocols/tfs/feature.h"

namespace inferd::tfs_grpc {

// Reads a tensorflow.Feature in place of the content of `feature`: the list of the last kind that `parts` set. A list
// without values is no feature. `parts` are the messages on the wire for it, in order: protobuf merges them.
// INVALID_ARGUMENT for malformed protobuf.
base::Status ReadFeature(std::span<const wire::Reader> parts, tfs::Feature& feature);

}  // namespace inferd::tfs_grpc
