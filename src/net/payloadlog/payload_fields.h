#pragma once

#include <string>

#include "net/http/http.h"
#include "net/payloadlog/payload.h"

namespace inferd::payloadlog {

// A request as its payload, without a body: its identifier is Ce-Id's, else X-Request-Id's, else a new one.
Payload RequestPayload(const net::RequestHead& head);

// Of a response: the fields that say how its body is read.
std::vector<std::pair<std::string, std::string>> ResponseFields(const net::HttpResponse& response);

}  // namespace inferd::payloadlog
