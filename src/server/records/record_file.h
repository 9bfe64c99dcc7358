#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::server {

// Splits a file in TensorFlow's TFRecord format: a sequence of records, each with its length and checksums of both. The
// results are views into `file`. INVALID_ARGUMENT, with the position, if the file is truncated or damaged, or has more
// than `records_max` records.
base::Result<std::vector<std::string_view>> SplitRecords(std::string_view file, size_t records_max);

// Returns a record in that format.
std::string RecordOf(std::string_view data);

}  // namespace inferd::server
