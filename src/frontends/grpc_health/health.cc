#include "frontends/grpc_health/health.h"

#include <memory>
#include <utility>

#include "frontends/grpc_health/watchers.h"
#include "health/health.pb.h"
#include "net/grpc/generated_message.h"

namespace inferd::grpc_health {

namespace {

using ::grpc::health::v1::HealthCheckRequest;
using net::grpc::CallContext;
using net::grpc::Responder;

constexpr uint64_t kMessageBytesMax = 64 * 1024;  // there is only a name in it

void Check(const Environment& environment, const base::BufferSlice& message, Responder responder) {
  const auto request = net::grpc::Decode<HealthCheckRequest>(message);
  if (!request.has_value()) return responder.Finish(request.error());
  const State state = StateOf(environment, request->service());
  if (state == State::kUnknown) {
    return responder.Finish(base::NotFound("unknown service '" + request->service() + "'"));
  }
  responder.Answer(ResponseOf(state));
}

void Watch(Watchers& watchers, const base::BufferSlice& message, Responder responder) {
  auto request = net::grpc::Decode<HealthCheckRequest>(message);
  if (!request.has_value()) return responder.Finish(request.error());
  watchers.Add(std::move(*request->mutable_service()), std::move(responder));
}

}  // namespace

std::vector<net::grpc::Method> Methods(Environment environment) {
  const auto shared = std::make_shared<const Environment>(std::move(environment));
  std::vector<net::grpc::Method> methods(2);
  methods[0].path = "/grpc.health.v1.Health/Check";
  methods[0].unary = [shared](CallContext, const base::BufferSlice& message, Responder responder) {
    Check(*shared, message, std::move(responder));
  };
  methods[1].path = "/grpc.health.v1.Health/Watch";
  const auto watchers = std::make_shared<Watchers>(shared);
  methods[1].unary = [watchers](CallContext, const base::BufferSlice& message, Responder responder) {
    Watch(*watchers, message, std::move(responder));
  };
  methods[1].on_drain = [watchers] { watchers->Close(); };
  for (net::grpc::Method& method : methods) method.message_bytes_max = kMessageBytesMax;
  return methods;
}

}  // namespace inferd::grpc_health
