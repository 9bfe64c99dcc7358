#pragma once

#include <string_view>

#include "data/json/writer.h"

namespace inferd::tfs_http {

// Writes a serialized tensorflow.TensorProto as TensorFlow Serving's metadata have it: all of its fields, whether they
// have a value or not, 64-bit integers and bytes (base64) as text. Resources and variants, which no default is made of,
// are left out. What is malformed ends it.
void WriteTensorProto(json::Writer& writer, std::string_view proto);

}  // namespace inferd::tfs_http
