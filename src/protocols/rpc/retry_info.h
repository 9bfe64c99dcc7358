#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace inferd::rpc {

// The google.rpc.Status (google/rpc/status.proto) that says with `status` when a retry may succeed: its one detail is a
// google.rpc.RetryInfo (google/rpc/error_details.proto). For grpc-status-details-bin.
std::string RetryDetails(const base::Status& status, int64_t retry_after_ms);

}  // namespace inferd::rpc
