#pragma once

#include <cstdint>
#include <string>

#include "config/options/server_options.h"
#include "serving/core/model/catalog.h"

namespace inferd::server {

// The ports on which the server listens. 0 for a listener that is off.
struct OpenPorts {
  uint16_t http = 0;
  uint16_t grpc = 0;
  uint16_t metrics = 0;
};

// Returns the lines for a person at a terminal whose server is ready: the addresses, the models, and a command that
// sends a request to the first ready model. Large requests are sent by inferctl. Empty without models that are ready.
std::string Greeting(const config::ServerOptions& options, const OpenPorts& ports, const core::Catalog& catalog);

}  // namespace inferd::server
