#pragma once

#include "base/status.h"
#include "net/http/http.h"

namespace inferd::access {

// Returns true if a program on this machine sent the request for itself: it came over the loopback or a Unix socket, no
// proxy forwarded it (RFC 7239, and its predecessors), and no page in a browser sent it (IsFromPage()). Over the
// loopback, Host must name this machine: a loopback address, localhost, or the system's own name (gethostname). This
// excludes pages whose name an attacker resolves to the loopback (DNS rebinding). A header that a client adds can only
// make the result false.
bool IsFromMachine(const net::RequestHead& head);

// Does the same, over a Unix socket only: the permissions of its folder decide who may connect.
bool IsFromSocket(const net::RequestHead& head);

// Returns OK if IsFromMachine(), and the request came over a Unix socket or from a process of this server's user or of
// root. Otherwise PERMISSION_DENIED, also if the kernel does not tell the process. Asks the kernel: only for rare
// calls.
base::Status CheckFromHere(const net::RequestHead& head);

// Returns true if a page in a browser sent the request: it has an Origin (RFC 6454) of any value, or a Sec-Fetch-Site
// (W3C, Fetch Metadata) other than "none" and "same-origin". inferd itself has no pages.
bool IsFromPage(const net::RequestHead& head);

}  // namespace inferd::access
