#pragma once

#include <string_view>

#include "net/http/http.h"

namespace inferd::net {

// Returns the transport's response in a handler's place: in `form`, or {"error": text} like the front-ends if it is
// null.
HttpResponse TransportAnswer(int status, std::string_view text, RefusalForm form = nullptr);

}  // namespace inferd::net
