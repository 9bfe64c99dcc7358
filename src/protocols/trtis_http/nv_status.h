#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "net/http/http.h"
#include "protocols/trtis_http/options.h"

// The header NV-Status, which has the result of a request.

namespace inferd::trtis_http {

// Adds it for a request that was understood and executed, whatever the response's HTTP status.
void AddSuccess(const Options& options, uint64_t request_id, net::HttpResponse& response);

// Returns 400 without a body. `request_id` is 0 if there is none yet. `retry_after_ms` is when a retry may succeed, or
// 0 if unknown.
net::HttpResponse FailureResponse(const Options& options, const base::Status& status, uint64_t request_id,
                                  int64_t retry_after_ms = 0);

// Returns the transport's refusal in this protocol's form, with its HTTP status.
net::HttpResponse TransportRefusal(int http_status, std::string_view text);

}  // namespace inferd::trtis_http
