#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "net/http/http.h"
#include "protocols/trtis_http/options.h"

// The header NV-Status, which says how a request ended.

namespace inferd::trtis_http {

// Of a request that was understood and done, whatever the answer's HTTP status.
void AddSuccess(const Options& options, uint64_t request_id, net::HttpResponse& response);

// 400 without a body. `request_id` 0: it had none yet. `retry_after_ms`: when a retry may succeed; 0: not known.
net::HttpResponse FailureResponse(const Options& options, const base::Status& status, uint64_t request_id,
                                  int64_t retry_after_ms = 0);

// What the transport answers in this protocol's place: its HTTP status, so too.
net::HttpResponse TransportRefusal(int http_status, std::string_view text);

}  // namespace inferd::trtis_http
