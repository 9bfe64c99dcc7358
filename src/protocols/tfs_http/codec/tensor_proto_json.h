#pragma once

#include <string_view>

#include "data/json/writer.h"

namespace inferd::tfs_http {

// Writes a serialized tensorflow.TensorProto in the form of TensorFlow Serving's metadata: all of its fields, with or
// without values, and 64-bit integers and bytes (base64) as text. Resources and variants, which cannot be defaults, are
// left out. Stops at malformed bytes.
void WriteTensorProto(json::Writer& writer, std::string_view proto);

}  // namespace inferd::tfs_http
