#pragma once

#include <string_view>

#include "base/status.h"
#include "data/json/reader.h"
#include "data/tensorjson/nested_parser.h"
#include "protocols/tfs/feature.h"

namespace inferd::tfs_http {

// Reads a value, or a flat list of values, in place of the content of `feature`: integers, and true as 1; numbers with
// a point or exponent; strings, and {"b64": ".."}. INVALID_ARGUMENT, in TensorFlow Serving's words with the feature's
// name, for other values, and for values of several kinds. kLenient: numbers are floats, infinite if they are too
// large.
base::Status ReadFeature(json::Reader& reader, std::string_view name, tensorjson::ValueRules rules,
                         tfs::Feature& feature);

}  // namespace inferd::tfs_http
