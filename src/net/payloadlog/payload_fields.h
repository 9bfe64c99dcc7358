#pragma once

#include <string>

#include "net/http/http.h"
#include "net/payloadlog/payload.h"

namespace inferd::payloadlog {

// Returns a request's payload, without its body. Its identifier is Ce-Id's, else X-Request-Id's, else a new one.
Payload RequestPayload(const net::RequestHead& head);

// Returns the fields of a response that say how its body is read.
std::vector<std::pair<std::string, std::string>> ResponseFields(const net::HttpResponse& response);

}  // namespace inferd::payloadlog
