#include "kserve/gateway/gateway.h"

#include <string>
#include <utility>

#include "base/clock.h"
#include "base/mix_bits.h"
#include "kserve/gateway/control_calls.h"
#include "kserve/gateway/grpc_sink.h"
#include "kserve/gateway/proxied_call.h"
#include "net/event_loop.h"
#include "net/http/transport_answer.h"
#include "net/upstream/call_list.h"

namespace inferd::gateway {

namespace {

// Knative's header, which selects the revision of a service.
constexpr std::string_view kTagField = "Knative-Serving-Tag";
constexpr std::string_view kNoControlCalls =
    "model repositories, logging, traces and shared memory are not controlled through here; --pass-control-calls lets "
    "such calls pass";

bool IsGrpc(const net::RequestHead& head) {
  return head.http2 && head.Find("Content-Type").value_or("").starts_with("application/grpc");
}

std::string_view PathOf(std::string_view target) { return target.substr(0, target.find('?')); }

}  // namespace

// The handler of one loop and listener.
class Gateway::Handler final : public net::HttpHandler, public CallOwner {
 public:
  Handler(const Gateway& gateway, net::EventLoop& loop)
      : gateway_(gateway),
        loop_(loop),
        pool_(loop, gateway.options_),
        http2_pool_(loop),
        lots_(static_cast<uint64_t>(base::SystemClock().NowNs()) ^ base::MixBits(loop.index() + 1)),
        calls_(loop) {}

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    net::BodyPlan plan;
    if (!IsGrpc(head)) return plan;
    plan.sink = std::make_unique<GrpcSink>([this](net::HttpRequest request, net::Reply reply, auto link) {
      BeginGrpc(std::move(request), std::move(reply), std::move(link));
    });
    return plan;
  }

  void OnRequest(net::HttpRequest request, net::Reply reply) override { Forward(std::move(request), std::move(reply)); }

  net::EventLoop& loop() override { return loop_; }
  net::upstream::Pool& pool() override { return pool_; }
  net::upstream::Http2Pool& http2_pool() override { return http2_pool_; }
  uint32_t DrawLot() override { return static_cast<uint32_t>(base::MixBits(lots_ += base::kMixStep) % 100); }

  void Forward(net::HttpRequest request, net::Reply reply) override {
    const Route* const route = FindRoute(request.head);
    if (route == nullptr) {
      return reply.Send(net::TransportAnswer(404, WhyNoRoute(request.head)));
    }
    ForwardBy(std::shared_ptr<const Route>(routes_, route), std::move(request), std::move(reply));
  }

  void ForwardBy(std::shared_ptr<const Route> route, net::HttpRequest request, net::Reply reply) override {
    if (const LocalService* const service = route->service.get()) {
      return Begin(service->Begin(*this, std::move(route), std::move(request), std::move(reply)));
    }
    if (Refuses(*route, request.head)) return reply.Send(net::TransportAnswer(403, kNoControlCalls));
    const std::string_view tag = request.head.Find(kTagField).value_or("");
    const Destination* const destination = RouteTable::Choose(*route, tag, DrawLot());
    if (destination == nullptr) return reply.Send(net::TransportAnswer(503, "this service has no revision"));
    Begin(std::make_unique<ProxiedCall>(*this, std::move(route), *destination, std::move(request), std::move(reply)));
  }

  void OnDone(RoutedCall& call) override { calls_.Remove(call); }

 private:
  const Route* FindRoute(const net::RequestHead& head) {
    if (const uint64_t version = gateway_.version_.load(std::memory_order_acquire); version != version_) {
      routes_ = gateway_.routes();
      version_ = version;
    }
    return routes_ == nullptr ? nullptr : routes_->Find(head.Find("Host").value_or(""), PathOf(head.target));
  }
  std::string_view WhyNoRoute(const net::RequestHead& head) const {
    const bool known = routes_ != nullptr && routes_->HasHost(head.Find("Host").value_or(""));
    return known ? "no route for this path" : "no service of this host";
  }

  // The path that the replica would receive decides.
  bool Refuses(const Route& route, const net::RequestHead& head) const {
    if (gateway_.passes_control_calls_) return false;
    std::string_view path = PathOf(head.target);
    if (path.starts_with(route.strip_prefix)) path.remove_prefix(route.strip_prefix.size());
    return IsControlCall(path);
  }

  void BeginGrpc(net::HttpRequest request, net::Reply reply, std::shared_ptr<GrpcCall::Link> link) {
    const Route* const route = FindRoute(request.head);
    if (route == nullptr) {
      return reply.Send(GrpcCall::Refusal(GrpcCall::kUnimplemented, WhyNoRoute(request.head)));
    }
    if (route->service != nullptr) {
      return reply.Send(GrpcCall::Refusal(GrpcCall::kUnimplemented, "this is asked over HTTP, and not over gRPC"));
    }
    if (Refuses(*route, request.head)) {
      return reply.Send(GrpcCall::Refusal(GrpcCall::kPermissionDenied, kNoControlCalls));
    }
    const std::string_view tag = request.head.Find(kTagField).value_or("");
    const Destination* const destination = RouteTable::Choose(*route, tag, DrawLot());
    if (destination == nullptr) {
      return reply.Send(GrpcCall::Refusal(GrpcCall::kUnavailable, "this service has no revision"));
    }
    Begin(std::make_unique<GrpcCall>(*this, std::shared_ptr<const Route>(routes_, route), *destination,
                                     std::move(request), std::move(reply), std::move(link)));
  }

  void Begin(std::unique_ptr<RoutedCall> call) { calls_.Add(std::move(call)).Start(); }

  const Gateway& gateway_;
  net::EventLoop& loop_;
  net::upstream::Pool pool_;
  net::upstream::Http2Pool http2_pool_;
  uint64_t lots_;
  uint64_t version_ = 0;
  std::shared_ptr<const RouteTable> routes_;
  net::upstream::CallList<RoutedCall> calls_;
};

Gateway::Gateway(net::upstream::PoolOptions options) : options_(std::move(options)) {}

void Gateway::SetRoutes(std::shared_ptr<const RouteTable> routes) {
  const base::MutexLock lock(mutex_);
  routes_ = std::move(routes);
  version_.fetch_add(1, std::memory_order_release);
}

std::shared_ptr<const RouteTable> Gateway::routes() const {
  const base::MutexLock lock(mutex_);
  return routes_;
}

net::HandlerFactory Gateway::Handlers() {
  return [this](net::Loop& loop) { return std::make_unique<Handler>(*this, static_cast<net::EventLoop&>(loop)); };
}

}  // namespace inferd::gateway
