#pragma once

#include <string_view>

#include "config/options/server_options.h"
#include "protocols/rest/options.h"
#include "protocols/rpc/surroundings.h"

// The server's options in the terms that front-ends of one transport share.

namespace inferd::protocol {

// Of what regions of clients' shared memory are for, where the server has none: in the words of Triton's.
inline constexpr std::string_view kTritonRegionsDisabled =
    "Client shared memory is disabled. Start the server with '--allow-client-shm=true' to enable.";

void SetRestOptions(const config::ServerOptions& options, rest::Options& rest);
void SetRpcOptions(const config::ServerOptions& options, rpc::Options& rpc);
// Of one streamed inference, over either transport.
core::ResponseFlow::Limits StreamFlowOf(const config::ServerOptions& options);

}  // namespace inferd::protocol
