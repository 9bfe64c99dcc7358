#pragma once

#include <string_view>

namespace inferd::net {

// Returns true if a header field belongs to the connection or to the body's framing rather than to the message. An
// intermediary drops it when it forwards the message (RFC 9110, 7.6.1), together with the fields that `Connection`
// names.
bool IsOfConnection(std::string_view name);

// Returns true if the comma-separated list, such as the value of Connection, contains the name.
bool ListNames(std::string_view list, std::string_view name);

}  // namespace inferd::net
