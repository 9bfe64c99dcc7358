#include "protocols/tfs_http/handler.h"

#include <algorithm>
#include <string>
#include <utility>

#include "protocols/call/ask_model_ready.h"
#include "protocols/rest/error_response.h"
#include "protocols/rest/once_loaded.h"
#include "protocols/tfs_http/call.h"
#include "protocols/tfs_http/infer_call.h"
#include "protocols/tfs_http/model_status.h"
#include "protocols/tfs_http/router.h"

namespace inferd::tfs_http {

namespace {

constexpr int kUnsupportedMediaType = 415;
// Bodies of requests other than inferences are not used.
constexpr uint64_t kControlBytesMax = 1 << 20;

net::HttpResponse Malformed(const Options& options, const net::RequestHead& head) {
  return rest::ErrorResponse(options, base::InvalidArgument("Malformed request: " + std::string(head.method_text) +
                                                            " " + std::string(head.target)));
}

// TensorFlow Serving's answer if it loses the reason: no body at all.
net::HttpResponse WithoutReason() {
  net::HttpResponse response;
  response.status = 400;
  response.content_type = "application/json";
  return response;
}

// Like TensorFlow Serving, answers every preflight of a page, whether or not it adds the headers.
net::HttpResponse Preflight(const Options& options, const net::RequestHead& head) {
  const std::string_view origin = head.Find("Origin").value_or("");
  if (origin.starts_with("http://") || origin.starts_with("https://")) return {};
  if (options.exact) return WithoutReason();
  return rest::ErrorResponse(options, base::InvalidArgument("Origin header is missing in CORS preflight"));
}

std::optional<net::ContentCoding> CodingOf(const net::RequestHead& head) {
  return net::ParseContentCoding(head.Find("Content-Encoding").value_or(""));
}

class Handler final : public net::HttpHandler {
 public:
  explicit Handler(Environment environment)
      : environment_(std::make_shared<const Environment>(std::move(environment))), options_(environment_->options) {}

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    const Route route = FindRoute(head, options_.metrics_path);
    const Endpoint endpoint = route.endpoint;
    if (endpoint == Endpoint::kMalformed) return Refuse(head, route, Malformed(options_, head));
    net::BodyPlan plan;
    plan.bytes_max = std::min(options_.body_bytes_max, kControlBytesMax);
    // A preflight has nothing to check.
    if (endpoint == Endpoint::kPreflight) return plan;
    if (options_.exact && !tfs::CheckModelSpec(SpecOf(route)).ok()) return Refuse(head, route, WithoutReason());
    const access::Group group = GroupOf(endpoint);
    const base::Status access = environment_->access.Check(group, head);
    if (!access.ok()) return Refuse(head, route, rest::ErrorResponse(options_, access));
    if (group != access::Group::kInference) return plan;
    plan.bytes_max = options_.body_bytes_max;
    if (CodingOf(head)) return plan;
    return Refuse(head, route,
                  rest::ErrorResponse(kUnsupportedMediaType,
                                      "Content-Encoding: expected gzip, deflate or identity, got '" +
                                          std::string(head.Find("Content-Encoding")->substr(0, 64)) + "'"));
  }

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    const Route route = FindRoute(request.head, options_.metrics_path);
    Call call(environment_, request.head, request.received_ns, std::move(reply));
    call.SetModel(route.model, route.version);
    switch (route.endpoint) {
      case Endpoint::kPredict:
      case Endpoint::kClassify:
      case Endpoint::kRegress: {
        const net::ContentCoding coding = CodingOf(request.head).value_or(net::ContentCoding::kIdentity);
        const int64_t received_ns = request.received_ns;
        return InferCall::Start(std::make_unique<InferCall>(std::move(call), route, coding, received_ns),
                                std::move(request));
      }
      case Endpoint::kModels: return call.Send(ModelsResponse(*environment_));
      case Endpoint::kStatus: return SendStatus(std::move(call), SpecOf(route));
      case Endpoint::kMetadata: return SendMetadata(std::move(call), SpecOf(route));
      case Endpoint::kPreflight: return call.Send(Preflight(options_, request.head));
      case Endpoint::kMetrics: return SendMetrics(std::move(call));
      case Endpoint::kMalformed: return call.Send(Malformed(options_, request.head));
    }
  }

 private:
  static void SendStatus(Call call, tfs::ModelSpec asked) {
    auto spec = StatusSpec(call.environment(), std::move(asked));
    if (!spec.has_value()) return call.Send(rest::ErrorResponse(call.options(), spec.error()));
    const core::Catalog& catalog = call.environment().catalog;
    net::Loop& loop = call.loop();
    const std::string model = spec->model;
    const std::string version = spec->version;
    call::AskModelReady(catalog, loop, model, version, std::move(call),
                        [spec = *std::move(spec)](Call waiting, const base::Status& readiness) {
                          waiting.Send(StatusResponse(waiting.environment(), spec, readiness));
                        });
  }

  static void SendMetadata(Call call, tfs::ModelSpec spec) {
    // The answer reports an unknown label.
    static_cast<void>(tfs::ResolveLabel(call.environment().dispatcher, spec));
    const core::VersionName name = spec.Name();
    std::string model(name.model);
    std::string version(name.version);
    rest::AnswerOnceLoaded(
        std::move(call), std::move(model), std::move(version),
        [spec = std::move(spec)](const Call& about) { return MetadataResponse(about.environment(), spec); });
  }

  static void SendMetrics(Call call) {
    base::Executor& pool = call.environment().pool;
    pool.Post([call = std::move(call)]() mutable {
      auto page = net::HttpResponse::Text(200, "text/plain", call.environment().metrics_text());
      net::Loop& loop = call.loop();
      loop.Post([call = std::move(call), page = std::move(page)]() mutable { call.Send(std::move(page)); });
    });
  }

  net::BodyPlan Refuse(const net::RequestHead& head, const Route& route, net::HttpResponse response) const {
    rest::LogRefusal(options_, environment_->logger, head, response, {.model = route.model, .version = route.version});
    AddCorsHeaders(options_, response);
    net::BodyPlan plan;
    plan.refuse = std::move(response);
    return plan;
  }

  const std::shared_ptr<const Environment> environment_;
  const Options& options_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeHandler(Environment environment) {
  return std::make_unique<Handler>(std::move(environment));
}

}  // namespace inferd::tfs_http
