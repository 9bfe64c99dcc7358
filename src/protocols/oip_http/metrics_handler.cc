#include <utility>

#include "protocols/call/ask_model_ready.h"
#include "protocols/oip_http/handler.h"
#include "protocols/oip_http/health.h"
#include "protocols/oip_http/router.h"
#include "protocols/rest/error_response.h"

namespace inferd::oip_http {

namespace {

constexpr size_t kBodyBytesMax = 64 * 1024;  // no body is read here

class MetricsHandler final : public net::HttpHandler {
 public:
  MetricsHandler(const Options& options, const access::Policy& access, const core::Catalog& catalog,
                 base::Executor& pool, MetricsText metrics_text)
      : options_(options), access_(access), catalog_(catalog), pool_(pool), metrics_text_(std::move(metrics_text)) {}

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    net::BodyPlan plan;
    plan.bytes_max = kBodyBytesMax;
    const RouteResult found = FindRoute(head.method, head.segments);
    const Endpoint endpoint = found.route.endpoint;
    const bool served = endpoint == Endpoint::kMetrics || endpoint == Endpoint::kServerLive ||
                        endpoint == Endpoint::kServerReady || endpoint == Endpoint::kModelReady;
    if (!served || found.allow.empty()) {
      std::string text = options_.texts.not_found;
      if (options_.advice) text += ": this port has /metrics and /v2/health alone; the other paths are on --http-port";
      plan.refuse = rest::ErrorResponse(options_, base::NotFound(text));
    } else if (!found.found) {
      plan.refuse = rest::ErrorResponse(405, options_.texts.method_not_allowed);
      plan.refuse->headers.emplace_back("Allow", found.allow);
    } else if (base::Status status = access_.Check(GroupOf(endpoint), head); !status.ok()) {
      plan.refuse = rest::ErrorResponse(options_, status);
    }
    return plan;
  }

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    const Route route = FindRoute(request.head.method, request.head.segments).route;
    switch (route.endpoint) {
      case Endpoint::kServerLive: return reply.Send(ServerLiveResponse(options_, request.head, catalog_));
      case Endpoint::kServerReady: return reply.Send(ServerReadyResponse(options_, request.head, catalog_));
      case Endpoint::kModelReady: return AnswerReady(route, request.head, std::move(reply));
      default: break;
    }
    pool_.Post([reply = std::move(reply), text = metrics_text_]() mutable {
      net::HttpResponse page = MetricsPage(text);
      net::Loop& loop = reply.loop();
      loop.Post([reply = std::move(reply), page = std::move(page)]() mutable { reply.Send(std::move(page)); });
    });
  }

 private:
  void AnswerReady(const Route& route, const net::RequestHead& head, net::Reply reply) const {
    net::Loop& loop = reply.loop();
    call::AskModelReady(catalog_, loop, route.model, route.version, std::move(reply),
                        [this, model = std::string(route.model), json = WantsHealthJson(options_, head)](
                            net::Reply asked, const base::Status& readiness) {
                          asked.Send(ModelReadyResponse(options_, json, model, readiness));
                        });
  }

  const Options& options_;
  const access::Policy& access_;
  const core::Catalog& catalog_;
  base::Executor& pool_;
  const MetricsText metrics_text_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeMetricsHandler(const Options& options, const access::Policy& access,
                                                     const core::Catalog& catalog, base::Executor& pool,
                                                     MetricsText metrics_text) {
  return std::make_unique<MetricsHandler>(options, access, catalog, pool, std::move(metrics_text));
}

}  // namespace inferd::oip_http
