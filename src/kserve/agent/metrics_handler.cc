#include "kserve/agent/metrics_handler.h"

#include "net/http/transport_answer.h"

namespace inferd::agent {

namespace {

class MetricsHandler final : public net::HttpHandler {
 public:
  explicit MetricsHandler(const metrics::Registry& registry) : registry_(registry) {}

  net::BodyPlan OnHead(const net::RequestHead&) override { return {}; }
  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    const net::RequestHead& head = request.head;
    const bool reads = head.method == net::Method::kGet || head.method == net::Method::kHead;
    if (!reads || head.segments.size() != 1 || head.segments[0] != "metrics") {
      return reply.Send(net::TransportAnswer(404, "there is only GET /metrics"));
    }
    reply.Send(net::HttpResponse::Text(200, "text/plain; version=0.0.4; charset=utf-8", registry_.PrometheusText()));
  }

 private:
  const metrics::Registry& registry_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeMetricsHandler(const metrics::Registry& registry) {
  return std::make_unique<MetricsHandler>(registry);
}

}  // namespace inferd::agent
