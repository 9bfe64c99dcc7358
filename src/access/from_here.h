#pragma once

#include "net/http/http.h"

namespace inferd::access {

// Whether a program on this machine sent the request for itself: over the loopback or a Unix socket, and neither a
// proxy passed it on (RFC 7239 and what came before it) nor a page in a browser sent it (RFC 6454: Origin). What a
// client adds to its request can only make this false.
bool IsFromHere(const net::RequestHead& head);

}  // namespace inferd::access
