#include "protocols/tfs_http/call.h"

#include <string>
#include <utility>

namespace inferd::tfs_http {

Call::Call(std::shared_ptr<const Environment> environment, const net::RequestHead& head, int64_t received_ns,
           net::Reply reply)
    : rest::Call(environment->options, environment->logger, environment->clock, head, received_ns, std::move(reply)),
      environment_(std::move(environment)) {}

void Call::Send(net::HttpResponse response) {
  AddCorsHeaders(options(), response);
  rest::Call::Send(std::move(response));
}

void AddCorsHeaders(const Options& options, net::HttpResponse& response) {
  if (!options.cors) return;
  response.headers.emplace_back("Access-Control-Allow-Origin", "*");
  response.headers.emplace_back("Access-Control-Allow-Methods", "POST, GET");
  response.headers.emplace_back("Access-Control-Allow-Headers", "Content-Type");
}

}  // namespace inferd::tfs_http
