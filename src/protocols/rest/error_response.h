#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "net/http/http.h"
#include "protocols/rest/options.h"

namespace inferd::rest {

// Returns {"error": <message>} (Predict V2, "Inference Response JSON Error Object" and similar) with the code's status
// from the table. Adds Retry-After to 429, and to UNAVAILABLE if there is a `retry_after_ms`; adds WWW-Authenticate to
// 401. If `retry_after_ms` is 0, 429 uses the option's.
net::HttpResponse ErrorResponse(const Options& options, const base::Status& status, int64_t retry_after_ms = 0);

// Returns the same body with a status that no canonical code has (405, 413, 415).
net::HttpResponse ErrorResponse(int http_status, std::string_view message);

// Returns the message of such a response, for the log. Empty if it is not one.
std::string ErrorText(const net::HttpResponse& response);

// Returns 200 with a JSON body.
net::HttpResponse JsonResponse(std::string_view json);

}  // namespace inferd::rest
