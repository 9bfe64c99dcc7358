#pragma once

#include <memory>
#include <string_view>

#include "base/status.h"
#include "net/http/http.h"
#include "protocols/kserve_v1/handler.h"
#include "protocols/rest/call.h"

namespace inferd::kserve_v1 {

// A request to this front-end in progress.
class Call : public rest::Call {
 public:
  Call(std::shared_ptr<const Environment> environment, const net::RequestHead& head, int64_t received_ns,
       net::Reply reply)
      : rest::Call(environment->options, environment->logger, environment->clock, head, received_ns, std::move(reply)),
        environment_(std::move(environment)) {}

  const Environment& environment() const { return *environment_; }
  const std::shared_ptr<const Environment>& shared_environment() const { return environment_; }
  const Options& options() const { return environment_->options; }

 private:
  std::shared_ptr<const Environment> environment_;
};

// Returns why a model does not answer, in the words of KServe's servers: it does not exist, or is not ready.
base::Status NotServed(std::string_view model, base::Status status);

}  // namespace inferd::kserve_v1
