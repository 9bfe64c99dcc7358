#pragma once

#include <string_view>

namespace inferd::net {

// Whether a header field is of the connection or of the body's framing, and not of the message: an intermediary that
// passes the message on leaves it out (RFC 9110, 7.6.1), as well as what `Connection` names.
bool IsOfConnection(std::string_view name);

// Whether the comma-separated list, as Connection's value is, has the name.
bool ListNames(std::string_view list, std::string_view name);

}  // namespace inferd::net
