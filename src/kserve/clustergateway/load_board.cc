#include "kserve/clustergateway/load_board.h"

#include "net/http/transport_answer.h"

namespace inferd::clustergateway {

namespace {

class StatusHandler final : public net::HttpHandler {
 public:
  StatusHandler(const LoadBoard& board, const metrics::Registry& registry) : board_(board), registry_(registry) {}

  net::BodyPlan OnHead(const net::RequestHead&) override { return {}; }

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    const net::RequestHead& head = request.head;
    const bool reads = head.method == net::Method::kGet || head.method == net::Method::kHead;
    const std::string_view what = reads && head.segments.size() == 1 ? head.segments[0] : "";
    if (what == "load") return reply.Send(net::HttpResponse::Text(200, "application/json", board_.Read()));
    if (what == "metrics") {
      return reply.Send(
          net::HttpResponse::Text(200, "text/plain; version=0.0.4; charset=utf-8", registry_.PrometheusText()));
    }
    reply.Send(net::TransportAnswer(404, "there are only GET /healthz, /livez, /readyz, /metrics and /load"));
  }

 private:
  const LoadBoard& board_;
  const metrics::Registry& registry_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeStatusHandler(const LoadBoard& board, const metrics::Registry& registry) {
  return std::make_unique<StatusHandler>(board, registry);
}

}  // namespace inferd::clustergateway
