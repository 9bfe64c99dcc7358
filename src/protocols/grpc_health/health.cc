#include "protocols/grpc_health/health.h"

#include <memory>
#include <string>
#include <utility>

#include "health/health.pb.h"
#include "net/grpc/generated_message.h"
#include "protocols/call/ask_model_ready.h"
#include "protocols/grpc_health/watchers.h"

namespace inferd::grpc_health {

namespace {

using ::grpc::health::v1::HealthCheckRequest;
using net::grpc::CallContext;
using net::grpc::Responder;

constexpr uint64_t kMessageBytesMax = 64 * 1024;  // it contains only a name

void Tell(State state, const std::string& service, Responder responder) {
  if (state == State::kUnknown) return responder.Finish(base::NotFound("unknown service '" + service + "'"));
  responder.Answer(ResponseOf(state));
}

void Check(const std::shared_ptr<const Environment>& environment, const base::BufferSlice& message,
           Responder responder) {
  auto request = net::grpc::Decode<HealthCheckRequest>(message);
  if (!request.has_value()) return responder.Finish(request.error());
  std::string service = std::move(*request->mutable_service());
  if (!IsModel(*environment, service)) return Tell(StateOf(*environment, service), service, std::move(responder));
  net::Loop& loop = responder.loop();
  const std::string asked = service;
  call::AskModelReady(environment->catalog, loop, asked, "", std::move(responder),
                      [environment, service = std::move(service)](Responder waiting, const base::Status& readiness) {
                        Tell(StateOfModel(*environment, readiness), service, std::move(waiting));
                      });
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
    Check(shared, message, std::move(responder));
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
