#pragma once

#include <string_view>

#include "net/http/http.h"

namespace inferd::net {

// What the transport answers in a handler's place: in `form`, or as the front-ends do if it is null: {"error": text}.
HttpResponse TransportAnswer(int status, std::string_view text, RefusalForm form = nullptr);

}  // namespace inferd::net
