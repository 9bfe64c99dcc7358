#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "net/http/http.h"
#include "protocols/rest/options.h"

namespace inferd::rest {

// Predict V2, "Inference Response JSON Error Object" and its like: {"error": <message>}, with the status that the table
// gives to the code, Retry-After with 429, and with UNAVAILABLE if there is a `retry_after_ms`, and WWW-Authenticate
// with 401. `retry_after_ms` 0: with 429 the option's.
net::HttpResponse ErrorResponse(const Options& options, const base::Status& status, int64_t retry_after_ms = 0);

// The same body under a status that no canonical code has (405, 413, 415).
net::HttpResponse ErrorResponse(int http_status, std::string_view message);

// The message of such a response, for the log; empty: it is none.
std::string ErrorText(const net::HttpResponse& response);

// 200 with a JSON body.
net::HttpResponse JsonResponse(std::string_view json);

}  // namespace inferd::rest
