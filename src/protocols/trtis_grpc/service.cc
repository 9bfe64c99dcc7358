#include "protocols/trtis_grpc/service.h"

#include <memory>
#include <string>
#include <utility>

#include "net/grpc/generated_message.h"
#include "protocols/rpc/call.h"
#include "protocols/trtis/infer_message.h"
#include "protocols/trtis/own_requests.h"
#include "protocols/trtis/server_status.h"
#include "protocols/trtis_grpc/infer_call.h"
#include "trtis/grpc_service.pb.h"

namespace inferd::trtis_grpc {

namespace {

namespace nv = nvidia::inferenceserver;
using Shared = std::shared_ptr<const Environment>;
using net::grpc::CallContext;
using net::grpc::Method;
using net::grpc::Responder;

base::Status CheckServing(const Environment& environment) { return trtis::CheckServing(environment.draining); }

// One call about the server itself: its number and its duration. Move-only, and loop-bound.
class OwnCall final {
 public:
  OwnCall(Shared environment, trtis::ServerState::Kind kind, const CallContext& context, Responder responder)
      : environment_(std::move(environment)),
        call_(rpc::SurroundingsOf(*environment_), context, std::move(responder)),
        kind_(kind),
        began_ns_(environment_->clock.NowNs()) {}

  const Environment& environment() const { return *environment_; }
  rpc::Call& call() { return call_; }

  template <typename Response>
  void Answer(const base::Status& status, Response& response) {
    nv::RequestStatus& ended = *response.mutable_request_status();
    ended.ParseFromString(trtis::StatusMessage({.code = trtis::CodeOf(status.code()),
                                                .message = status.message(),
                                                .server_id = environment_->options.state->server_id(),
                                                .request_id = id_}));
    environment_->options.state->Count(kind_, environment_->clock.NowNs() - began_ns_);
    call_.Answer(net::grpc::Encode(response), status);
  }

 private:
  Shared environment_;
  rpc::Call call_;
  trtis::ServerState::Kind kind_;
  int64_t began_ns_;
  uint64_t id_ = environment_->options.state->NextRequestId();
};

// Makes a method about the server itself; `answer(call, request)`.
template <typename Request>
Method Own(const Shared& environment, const char* name, trtis::ServerState::Kind kind,
           void (*answer)(OwnCall call, Request request)) {
  Method method{.path = std::string(kService) + name};
  method.unary = [environment, kind, answer](CallContext&& context, base::BufferSlice message, Responder responder) {
    OwnCall call(environment, kind, context, std::move(responder));
    auto request = net::grpc::Decode<Request>(message);
    if (!request.has_value()) return call.call().Finish(request.error());
    answer(std::move(call), *std::move(request));
  };
  method.message_bytes_max = environment->options.control_bytes_max;
  return method;
}

void AnswerStatus(OwnCall call, nv::StatusRequest request) {
  const Environment& environment = call.environment();
  auto response = std::make_unique<nv::StatusResponse>();
  if (const base::Status serving = CheckServing(environment); !serving.ok()) return call.Answer(serving, *response);
  call.call().SetModel(request.model_name(), "");
  environment.pool.Post(
      [call = std::move(call), request = std::move(request), response = std::move(response)]() mutable {
        const Environment& about = call.environment();
        base::Status made = trtis::MakeServerStatus({.catalog = about.catalog, .state = *about.options.state},
                                                    request.model_name(), *response->mutable_server_status());
        net::Loop& loop = call.call().loop();
        loop.Post([call = std::move(call), made = std::move(made), response = std::move(response)]() mutable {
          call.Answer(made, *response);
        });
      });
}

void AnswerProfile(OwnCall call, nv::ProfileRequest request) {
  nv::ProfileResponse response;
  call.Answer(trtis::CheckProfile(CheckServing(call.environment()), request.cmd()), response);
}

void AnswerHealth(OwnCall call, nv::HealthRequest request) {
  nv::HealthResponse response;
  const auto healthy = trtis::CheckHealth(CheckServing(call.environment()), request.mode(), call.environment().catalog);
  response.set_health(healthy.value_or(false));
  call.Answer(healthy.has_value() ? base::OkStatus() : healthy.error(), response);
}

Method Infer(const Shared& environment) {
  Method method{.path = std::string(kService) + "Infer"};
  method.unary = [environment](CallContext&& context, base::BufferSlice message, Responder responder) {
    rpc::InferCall::Start(std::make_unique<InferCall>(environment, std::move(context), std::move(responder)),
                          std::move(message));
  };
  method.align_at = trtis::RawInputAt;
  return method;
}

// A stream that is refused before its first message.
class Refused final : public net::grpc::MessageReader {
 public:
  void OnMessage(base::BufferSlice) override {}
  void OnHalfClose() override {}
};

Method InferStream(const Shared& environment) {
  Method method{.path = std::string(kService) + "InferStream"};
  method.streaming = [environment](CallContext&& context, Responder responder) {
    rpc::Call(rpc::SurroundingsOf(*environment), context, std::move(responder))
        .Finish(base::Unimplemented("InferStream names no model: Infer is served"));
    return std::make_unique<Refused>();
  };
  return method;
}

// A status includes metadata, configurations and statistics, so their access rules apply too; the server checks the
// first.
void AlsoAdmit(const Shared& environment, Method& method) {
  const access::Policy& policy = environment->access;
  if (!policy.restricts(access::Group::kModelConfig) && !policy.restricts(access::Group::kStatistics)) return;
  auto answer = std::move(method.unary);
  method.unary = [environment, answer = std::move(answer)](CallContext&& context, base::BufferSlice message,
                                                           Responder responder) mutable {
    base::Status admitted = environment->access.Check(access::Group::kModelConfig, context.head);
    if (admitted.ok()) admitted = environment->access.Check(access::Group::kStatistics, context.head);
    if (admitted.ok()) return answer(std::move(context), std::move(message), std::move(responder));
    rpc::Call(rpc::SurroundingsOf(*environment), context, std::move(responder)).Finish(admitted);
  };
}

}  // namespace

std::vector<Method> Methods(const Environment& environment) {
  // Reflection shows linked messages, and the linker keeps named ones.
  [[maybe_unused]] static const auto* const described = nv::InferRequest::descriptor();
  using Kind = trtis::ServerState::Kind;
  const auto shared = std::make_shared<const Environment>(environment);
  std::vector<Method> methods;
  methods.push_back(Own<nv::StatusRequest>(shared, "Status", Kind::kStatus, AnswerStatus));
  AlsoAdmit(shared, methods.back());
  methods.push_back(Own<nv::ProfileRequest>(shared, "Profile", Kind::kProfile, AnswerProfile));
  methods.push_back(Own<nv::HealthRequest>(shared, "Health", Kind::kHealth, AnswerHealth));
  methods.push_back(Infer(shared));
  methods.push_back(InferStream(shared));
  return methods;
}

}  // namespace inferd::trtis_grpc
