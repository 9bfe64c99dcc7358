#pragma once

#include <memory>

#include "base/status.h"
#include "net/grpc/call_context.h"
#include "protocols/rpc/surroundings.h"
#include "serving/core/request/infer_request.h"

// Common functions of every inference over gRPC, unary or streamed. Pure; runs on any thread.

namespace inferd::rpc {

// The call's metadata, if some are forwarded to the model (Options::forwarded_metadata); null otherwise.
using Forwarded = std::shared_ptr<const net::grpc::CallContext>;
Forwarded KeepForwarded(net::grpc::CallContext&& context, const Options& options);

// Adds them to the request's parameters. Errors are those of v2::AddForwardedHeaders().
base::Status AddForwarded(const Forwarded& forwarded, const Options& options, core::InferRequest& request);

}  // namespace inferd::rpc
