#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "net/http/http.h"
#include "protocols/oip_http/handler.h"
#include "protocols/rest/call.h"

namespace inferd::oip_http {

// A request to this front-end in progress.
class Call : public rest::Call {
 public:
  Call(std::shared_ptr<const Environment> environment, const net::RequestHead& head, int64_t received_ns,
       net::Reply reply);

  const Environment& environment() const { return *environment_; }
  const Options& options() const { return environment_->options; }

  // Sends an error response. If `http_status` is 0, the table's is used.
  void Fail(const base::Status& status, int http_status = 0, int64_t retry_after_ms = 0);

 private:
  std::shared_ptr<const Environment> environment_;
};

}  // namespace inferd::oip_http
