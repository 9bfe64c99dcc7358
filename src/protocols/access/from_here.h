#pragma once

#include "base/status.h"
#include "net/http/http.h"

namespace inferd::access {

// Whether a program of this machine's users sent the request for itself: over the loopback or a Unix socket, and
// neither a proxy passed it on (RFC 7239 and what came before it) nor a page in a browser sent it (IsFromPage). Over
// the loopback Host names this machine: an address of the loopback, localhost, or the system's own name (gethostname).
// A page whose name an attacker resolves to the loopback (DNS rebinding) sends another Host. A header that a client
// adds can only make this false.
bool IsFromMachine(const net::RequestHead& head);

// The same, over a Unix socket: the permissions of its folder say who may connect.
bool IsFromSocket(const net::RequestHead& head);

// OK if IsFromMachine(), and over a Unix socket or from a process of this server's user or of root. PERMISSION_DENIED
// otherwise, also if the kernel does not say whose process it is. Asks the kernel: for calls that are rare.
base::Status CheckFromHere(const net::RequestHead& head);

// Whether a page in a browser sent it: it has an Origin (RFC 6454), whatever that is, or a Sec-Fetch-Site (W3C, Fetch
// Metadata) other than "none" and "same-origin". inferd has no pages.
bool IsFromPage(const net::RequestHead& head);

}  // namespace inferd::access
