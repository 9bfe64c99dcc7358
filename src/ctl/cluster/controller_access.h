#pragma once

#include <string>

#include "base/status.h"
#include "ctl/request_headers.h"
#include "net/client/http_client.h"

namespace inferd::ctl {

// How the API of inferd-controller is reached, and what every request carries.
struct ControllerAccess {
  net::HttpClient::Options connection;
  HeaderList headers;
};

// Completes `given`, the connection and headers of the command line, with what this machine knows of a controller.
//
//  - `controller` empty: the controller of this user that serves (kubernetes::FindLocalAccessInUse).
//  - `controller` a URL of the loopback: the controller of this user at that port, if one has left a kubeconfig; else
//    the URL as it is.
//  - any other URL, or a Unix socket in `given`: as it is.
//
// A controller of this machine is asked at its Unix socket. If nobody serves there, its port is asked, with the token
// of its kubeconfig unless `given` has an Authorization header.
//
// UNAVAILABLE: no controller serves. FAILED_PRECONDITION: several do; it says how to name one. INVALID_ARGUMENT: a URL
// or a kubeconfig that is none.
base::Result<ControllerAccess> FindController(const std::string& controller, ControllerAccess given);

}  // namespace inferd::ctl
