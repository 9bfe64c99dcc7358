#include "kserve/cluster/status_handlers.h"

#include <string_view>
#include <utility>

#include "net/http/transport_answer.h"

namespace inferd::cluster {

namespace {

constexpr std::string_view kText = "text/plain; charset=utf-8";

// Returns the path of a GET or HEAD with exactly one segment. Empty for other requests.
std::string_view PageOf(const net::RequestHead& head) {
  const bool reads = head.method == net::Method::kGet || head.method == net::Method::kHead;
  return reads && head.segments.size() == 1 ? head.segments[0] : std::string_view();
}

class HealthHandler final : public net::HttpHandler {
 public:
  explicit HealthHandler(std::function<bool()> is_ready) : is_ready_(std::move(is_ready)) {}

  net::BodyPlan OnHead(const net::RequestHead&) override { return {}; }
  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    const std::string_view page = PageOf(request.head);
    if (page == "healthz") return reply.Send(net::HttpResponse::Text(200, kText, "ok"));
    if (page != "readyz") return reply.Send(net::TransportAnswer(404, "there are GET /healthz and GET /readyz"));
    if (is_ready_()) return reply.Send(net::HttpResponse::Text(200, kText, "ok"));
    reply.Send(net::HttpResponse::Text(503, kText, "the objects of the cluster are still being read"));
  }

 private:
  const std::function<bool()> is_ready_;
};

class MetricsHandler final : public net::HttpHandler {
 public:
  explicit MetricsHandler(const metrics::Registry& metrics) : metrics_(metrics) {}

  net::BodyPlan OnHead(const net::RequestHead&) override { return {}; }
  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    if (PageOf(request.head) != "metrics") return reply.Send(net::TransportAnswer(404, "there is only GET /metrics"));
    reply.Send(net::HttpResponse::Text(200, "text/plain; version=0.0.4; charset=utf-8", metrics_.PrometheusText()));
  }

 private:
  const metrics::Registry& metrics_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeHealthHandler(std::function<bool()> is_ready) {
  return std::make_unique<HealthHandler>(std::move(is_ready));
}

std::unique_ptr<net::HttpHandler> MakeMetricsHandler(const metrics::Registry& metrics) {
  return std::make_unique<MetricsHandler>(metrics);
}

}  // namespace inferd::cluster
