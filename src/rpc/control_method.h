#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "net/grpc/generated_message.h"
#include "net/grpc/service.h"
#include "rpc/call.h"

// Methods that are answered at once, on the loop. `Environment` is the service's: SurroundingsOf takes it.

namespace inferd::rpc {

// `answer` gives the response to a request, or a Result of it.
template <typename Environment, typename Request, typename Response>
net::grpc::Method AtOnce(const std::shared_ptr<const Environment>& environment, std::string path,
                         base::Result<Response> (*answer)(const Environment&, const Request&)) {
  net::grpc::Method method{.path = std::move(path)};
  method.unary = [environment, answer](net::grpc::CallContext context, base::BufferSlice message,
                                       net::grpc::Responder responder) {
    Call call(SurroundingsOf(*environment), context, std::move(responder));
    const auto request = net::grpc::Decode<Request>(message);
    if (!request.has_value()) return call.Finish(request.error());
    const auto response = answer(*environment, *request);
    if (!response.has_value()) return call.Finish(response.error());
    call.Answer(net::grpc::Encode(*response));
  };
  method.message_bytes_max = environment->options.control_bytes_max;
  return method;
}

// Answers UNIMPLEMENTED and says what is not there.
template <typename Environment>
net::grpc::Method NotServed(const std::shared_ptr<const Environment>& environment, std::string path, std::string what) {
  net::grpc::Method method{.path = std::move(path)};
  method.unary = [environment, what = std::move(what)](net::grpc::CallContext context, base::BufferSlice,
                                                       net::grpc::Responder responder) {
    Call(SurroundingsOf(*environment), context, std::move(responder)).Finish(base::Unimplemented(what));
  };
  method.message_bytes_max = environment->options.control_bytes_max;
  return method;
}

}  // namespace inferd::rpc
