#include "kserve/clustergateway/router/health_handler.h"

#include <utility>

namespace inferd::clustergateway {

namespace {

class HealthHandler final : public net::HttpHandler {
 public:
  HealthHandler(const std::atomic<bool>& ready, std::unique_ptr<net::HttpHandler> inner)
      : ready_(ready), inner_(std::move(inner)) {}

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    return IsProbe(head) ? net::BodyPlan() : inner_->OnHead(head);
  }

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    if (!IsProbe(request.head)) return inner_->OnRequest(std::move(request), std::move(reply));
    const bool well = request.head.segments[0] != "readyz" || ready_.load(std::memory_order_relaxed);
    reply.Send(net::HttpResponse::Text(well ? 200 : 503, "text/plain", well ? "ok" : "not ready"));
  }

  net::RefusalForm RefusalFormOf(const net::RequestHead& head) const override { return inner_->RefusalFormOf(head); }
  void OnDrain() override { inner_->OnDrain(); }

 private:
  static bool IsProbe(const net::RequestHead& head) {
    if (head.method != net::Method::kGet || head.segments.size() != 1) return false;
    return head.segments[0] == "healthz" || head.segments[0] == "livez" || head.segments[0] == "readyz";
  }

  const std::atomic<bool>& ready_;
  const std::unique_ptr<net::HttpHandler> inner_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeHealthHandler(const std::atomic<bool>& ready,
                                                    std::unique_ptr<net::HttpHandler> inner) {
  return std::make_unique<HealthHandler>(ready, std::move(inner));
}

}  // namespace inferd::clustergateway
