#pragma once

#include <memory>

#include "base/status.h"
#include "net/grpc/call_context.h"
#include "protocols/rpc/surroundings.h"
#include "serving/core/request/infer_request.h"

// What every inference over gRPC has in common, unary or streamed. Pure; runs on any thread.

namespace inferd::rpc {

// The call's metadata, where some of them are forwarded to the model (Options::forwarded_metadata); null otherwise.
using Forwarded = std::shared_ptr<const net::grpc::CallContext>;
Forwarded KeepForwarded(net::grpc::CallContext&& context, const Options& options);

// Adds them to the request's parameters. Errors are v2::AddForwardedHeaders's.
base::Status AddForwarded(const Forwarded& forwarded, const Options& options, core::InferRequest& request);

}  // namespace inferd::rpc
