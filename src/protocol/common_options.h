#pragma once

#include "config/options/server_options.h"
#include "rest/options.h"
#include "rpc/surroundings.h"

// The server's options in the terms that front-ends of one transport share.

namespace inferd::protocol {

void SetRestOptions(const config::ServerOptions& options, rest::Options& rest);
void SetRpcOptions(const config::ServerOptions& options, rpc::Options& rpc);
// Of one streamed inference, over either transport.
core::ResponseFlow::Limits StreamFlowOf(const config::ServerOptions& options);

}  // namespace inferd::protocol
