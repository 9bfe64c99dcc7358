#pragma once

#include <string_view>

namespace inferd::gateway {

// Whether a request of this path would change what a model server does, or tells what only its operator asks for:
// Triton's model repository, logging, trace settings and shared memory over HTTP and gRPC, TensorFlow Serving's
// HandleReloadConfigRequest, MLServer's repository over gRPC. `path`: as sent, without the query. It is read as a
// server may read it: percent-decoded, with empty segments left out, "." and ".." resolved.
bool IsControlCall(std::string_view path);

}  // namespace inferd::gateway
