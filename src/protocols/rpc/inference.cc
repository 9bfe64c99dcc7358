#include "protocols/rpc/inference.h"

#include <utility>

#include "protocols/v2/forwarded_headers.h"

namespace inferd::rpc {

Forwarded KeepForwarded(net::grpc::CallContext&& context, const Options& options) {
  if (!options.forwarded_metadata.has_value()) return nullptr;
  return std::make_shared<const net::grpc::CallContext>(std::move(context));
}

base::Status AddForwarded(const Forwarded& forwarded, const Options& options, core::InferRequest& request) {
  if (forwarded == nullptr) return {};
  return v2::AddForwardedHeaders(*options.forwarded_metadata, forwarded->head.headers, request.parameters);
}

}  // namespace inferd::rpc
