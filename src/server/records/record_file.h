#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::server {

// TensorFlow's TFRecord: the records of a file, one behind the other, each with its length and a checksum of either.
// Views into `file`. INVALID_ARGUMENT: it is cut off or damaged, with where; more than `records_max` of them.
base::Result<std::vector<std::string_view>> SplitRecords(std::string_view file, size_t records_max);

// A record as such a file has it.
std::string RecordOf(std::string_view data);

}  // namespace inferd::server
