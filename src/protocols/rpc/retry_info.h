#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace inferd::rpc {

// Returns the google.rpc.Status (google/rpc/status.proto) of `status` with one detail, a google.rpc.RetryInfo
// (google/rpc/error_details.proto), which says when a retry may succeed. For grpc-status-details-bin.
std::string RetryDetails(const base::Status& status, int64_t retry_after_ms);

}  // namespace inferd::rpc
