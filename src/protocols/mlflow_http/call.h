#pragma once

#include <memory>
#include <utility>

#include "net/http/http.h"
#include "protocols/mlflow_http/handler.h"
#include "protocols/rest/call.h"

namespace inferd::mlflow_http {

// A request to this front-end in progress.
class Call : public rest::Call {
 public:
  Call(std::shared_ptr<const Environment> environment, const net::RequestHead& head, int64_t received_ns,
       net::Reply reply)
      : rest::Call(environment->options, environment->logger, environment->clock, head, received_ns, std::move(reply)),
        environment_(std::move(environment)) {}

  const Environment& environment() const { return *environment_; }
  const std::shared_ptr<const Environment>& shared_environment() const { return environment_; }

 private:
  std::shared_ptr<const Environment> environment_;
};

}  // namespace inferd::mlflow_http
