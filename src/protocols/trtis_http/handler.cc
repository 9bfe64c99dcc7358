#include "protocols/trtis_http/handler.h"

#include <algorithm>
#include <string>
#include <utility>

#include "protocols/rest/call.h"
#include "protocols/trtis/own_requests.h"
#include "protocols/trtis/server_status.h"
#include "protocols/trtis_http/infer_call.h"
#include "protocols/trtis_http/nv_status.h"
#include "protocols/trtis_http/router.h"

namespace inferd::trtis_http {

namespace {

// Bodies of requests other than inferences are not used.
constexpr uint64_t kControlBytesMax = 1 << 20;

net::HttpResponse Bare(int status) {
  net::HttpResponse response;
  response.status = status;
  if (status == 405) response.headers.emplace_back("Allow", "GET, POST");
  return response;
}

// One request about the server itself: its number and its duration.
class OwnRequest final {
 public:
  OwnRequest(std::shared_ptr<const Environment> environment, trtis::ServerState::Kind kind)
      : environment_(std::move(environment)), kind_(kind), began_ns_(environment_->clock.NowNs()) {}

  const Environment& environment() const { return *environment_; }

  void Send(rest::Call& call, const base::Status& status, net::HttpResponse&& response) {
    const Options& options = environment_->options;
    if (status.ok()) {
      AddSuccess(options, id_, response);
    } else {
      call.SetError(status.message());
      response = FailureResponse(options, status, id_);
    }
    options.state->Count(kind_, environment_->clock.NowNs() - began_ns_);
    call.Send(std::move(response));
  }

 private:
  std::shared_ptr<const Environment> environment_;
  trtis::ServerState::Kind kind_;
  int64_t began_ns_;
  uint64_t id_ = environment_->options.state->NextRequestId();
};

net::HttpResponse StatusBody(const nvidia::inferenceserver::ServerStatus& status, bool binary) {
  if (binary) return net::HttpResponse::Text(200, "application/octet-stream", status.SerializeAsString());
  return net::HttpResponse::Text(200, "text/plain", status.DebugString());
}

class Handler final : public net::HttpHandler {
 public:
  explicit Handler(const Environment& environment)
      : environment_(std::make_shared<const Environment>(environment)), options_(environment_->options) {}

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    const Route route = FindRoute(head);
    if (route.endpoint == Endpoint::kNone) return Refuse(head, route, Bare(400));
    if (route.endpoint == Endpoint::kWrongMethod) return Refuse(head, route, Bare(405));
    const base::Status access = CheckAccess(route.endpoint, head);
    if (!access.ok()) return Refuse(head, route, FailureResponse(options_, access, 0));
    net::BodyPlan plan;
    plan.bytes_max = std::min(options_.body_bytes_max, kControlBytesMax);
    if (route.endpoint != Endpoint::kInfer) return plan;
    plan.bytes_max = options_.body_bytes_max;
    const uint64_t bytes = head.content_length.value_or(0);
    if (bytes >= core::InputMemory::kWorthwhileBytes && bytes <= plan.bytes_max) {
      plan.memory = MemoryFor(route, static_cast<size_t>(bytes));
    }
    return plan;
  }

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    const Route route = FindRoute(request.head);
    rest::Call call(options_, environment_->logger, environment_->clock, request.head, request.received_ns,
                    std::move(reply));
    call.SetModel(route.model, route.version);
    switch (route.endpoint) {
      case Endpoint::kInfer:
        return InferCall::Start(std::make_unique<InferCall>(environment_, std::move(call), route, request.received_ns),
                                std::move(request));
      case Endpoint::kStatus: return SendStatus(std::move(call), std::string(route.model), route.binary);
      case Endpoint::kProfile: return SendProfile(std::move(call), route.word);
      case Endpoint::kHealth: return SendHealth(std::move(call), route.word);
      case Endpoint::kNone:
      case Endpoint::kWrongMethod: return call.Send(Bare(400));  // OnHead has refused it
    }
  }

 private:
  // A status includes metadata, configurations and statistics, so their access rules apply too.
  base::Status CheckAccess(Endpoint endpoint, const net::RequestHead& head) const {
    const access::Policy& policy = environment_->access;
    if (endpoint == Endpoint::kInfer) return policy.Check(access::Group::kInference, head);
    if (endpoint == Endpoint::kHealth) return policy.Check(access::Group::kHealth, head);
    if (endpoint == Endpoint::kProfile) return policy.Check(access::Group::kTrace, head);
    INFERD_RETURN_IF_ERROR(policy.Check(access::Group::kMetadata, head));
    INFERD_RETURN_IF_ERROR(policy.Check(access::Group::kModelConfig, head));
    return policy.Check(access::Group::kStatistics, head);
  }

  // An unknown model is reported when the body has arrived.
  base::Buffer MemoryFor(const Route& route, size_t bytes) const {
    const auto found = environment_->dispatcher.Find(route.model, route.version);
    core::InputMemory* const memory = found.has_value() ? (*found)->input_memory() : nullptr;
    return memory == nullptr ? base::Buffer() : memory->Allocate(bytes, 0);
  }

  net::BodyPlan Refuse(const net::RequestHead& head, const Route& route, net::HttpResponse response) const {
    rest::LogRefusal(options_, environment_->logger, head, response, {.model = route.model, .version = route.version});
    net::BodyPlan plan;
    plan.refuse = std::move(response);
    return plan;
  }

  base::Status CheckServing() const { return trtis::CheckServing(environment_->draining); }

  void SendStatus(rest::Call call, std::string model, bool binary) const {
    OwnRequest request(environment_, trtis::ServerState::Kind::kStatus);
    if (const base::Status serving = CheckServing(); !serving.ok()) return request.Send(call, serving, {});
    base::Executor& pool = environment_->pool;
    pool.Post([call = std::move(call), request = std::move(request), model = std::move(model), binary]() mutable {
      nvidia::inferenceserver::ServerStatus status;
      const Environment& environment = request.environment();
      base::Status made =
          trtis::MakeServerStatus({.catalog = environment.catalog, .state = *environment.options.state}, model, status);
      net::HttpResponse response = made.ok() ? StatusBody(status, binary) : net::HttpResponse();
      net::Loop& loop = call.loop();
      loop.Post([call = std::move(call), request = std::move(request), made = std::move(made),
                 response = std::move(response)]() mutable { request.Send(call, made, std::move(response)); });
    });
  }

  void SendProfile(rest::Call call, std::string_view command) const {
    OwnRequest request(environment_, trtis::ServerState::Kind::kProfile);
    request.Send(call, trtis::CheckProfile(CheckServing(), command), {});
  }

  void SendHealth(rest::Call call, std::string_view mode) const {
    OwnRequest request(environment_, trtis::ServerState::Kind::kHealth);
    const auto healthy = trtis::CheckHealth(CheckServing(), mode, environment_->catalog);
    request.Send(call, healthy.has_value() ? base::OkStatus() : healthy.error(),
                 Bare(healthy.value_or(false) ? 200 : 400));
  }

  const std::shared_ptr<const Environment> environment_;
  const Options& options_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeHandler(const Environment& environment) {
  return std::make_unique<Handler>(environment);
}

}  // namespace inferd::trtis_http
