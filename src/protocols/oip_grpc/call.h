#pragma once

#include <memory>
#include <utility>

#include "protocols/oip_grpc/service.h"
#include "protocols/rpc/call.h"

namespace inferd::oip_grpc {

// A call of this service in progress.
class Call : public rpc::Call {
 public:
  Call(std::shared_ptr<const Environment> environment, const net::grpc::CallContext& context,
       net::grpc::Responder responder)
      : rpc::Call(rpc::SurroundingsOf(*environment), context, std::move(responder)),
        environment_(std::move(environment)) {}

  const Environment& environment() const { return *environment_; }
  const Options& options() const { return environment_->options; }

 private:
  std::shared_ptr<const Environment> environment_;
};

}  // namespace inferd::oip_grpc
