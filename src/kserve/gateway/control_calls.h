#pragma once

#include <string_view>

namespace inferd::gateway {

// Returns true if a request of this path would control a model server, or read what is meant for its operator: Triton's
// model repository, logging, trace settings and shared memory over HTTP and gRPC, TensorFlow Serving's
// HandleReloadConfigRequest, MLServer's repository over gRPC. `path` is the path as sent, without the query. It is
// normalized as a server may do it: percent-decoded, without empty segments, with "." and ".." resolved.
bool IsControlCall(std::string_view path);

}  // namespace inferd::gateway
