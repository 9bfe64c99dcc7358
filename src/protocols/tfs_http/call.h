#pragma once

#include <memory>
#include <string_view>

#include "base/status.h"
#include "net/http/http.h"
#include "protocols/rest/call.h"
#include "protocols/tfs_http/handler.h"

namespace inferd::tfs_http {

// A request to this front-end in progress.
class Call : public rest::Call {
 public:
  Call(std::shared_ptr<const Environment> environment, const net::RequestHead& head, int64_t received_ns,
       net::Reply reply);

  const Environment& environment() const { return *environment_; }
  const std::shared_ptr<const Environment>& shared_environment() const { return environment_; }
  const Options& options() const { return environment_->options; }

  void Send(net::HttpResponse response);

 private:
  std::shared_ptr<const Environment> environment_;
};

// Adds the CORS headers, if they are on, to a response; refusals have them too.
void AddCorsHeaders(const Options& options, net::HttpResponse& response);

}  // namespace inferd::tfs_http
