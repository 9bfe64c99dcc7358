#pragma once

#include <string>

#include "base/status.h"
#include "ctl/request_headers.h"
#include "net/client/http_client.h"

namespace inferd::ctl {

// The connection to the API of inferd-controller, and the headers of every request.
struct ControllerAccess {
  net::HttpClient::Options connection;
  HeaderList headers;
};

// Completes `given`, the connection and headers of the command line, for a controller:
//
//  - `controller` is empty: this user's running controller (kubernetes::FindLocalAccessInUse).
//  - `controller` is a URL of the loopback: this user's controller at that port, if it has left a kubeconfig; else the
//    URL unchanged.
//  - another URL, or `given` has a Unix socket: unchanged.
//
// A controller of this machine is reached by its Unix socket. If no process listens there, its port is used, with the
// token of its kubeconfig unless `given` has an Authorization header.
//
// UNAVAILABLE if no controller runs. FAILED_PRECONDITION if several run; the message says how to select one.
// INVALID_ARGUMENT if a URL or a kubeconfig is invalid.
base::Result<ControllerAccess> FindController(const std::string& controller, ControllerAccess given);

}  // namespace inferd::ctl
