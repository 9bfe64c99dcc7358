#pragma once

#include <string_view>

#include "config/options/server_options.h"
#include "protocols/rest/options.h"
#include "protocols/rpc/surroundings.h"

// Conversion of the server's options to those that front-ends of one transport share.

namespace inferd::protocol {

// The answer to calls on clients' shared memory regions if the server does not support them, in Triton's words.
inline constexpr std::string_view kTritonRegionsDisabled =
    "Client shared memory is disabled. Start the server with '--allow-client-shm=true' to enable.";

void SetRestOptions(const config::ServerOptions& options, rest::Options& rest);
void SetRpcOptions(const config::ServerOptions& options, rpc::Options& rpc);
// Returns the limits of one streamed inference, over either transport.
core::ResponseFlow::Limits StreamFlowOf(const config::ServerOptions& options);

}  // namespace inferd::protocol
