#include "protocols/mlflow_http/handler.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/version/version.h"
#include "net/compression/content_coding.h"
#include "protocols/call/ask_model_ready.h"
#include "protocols/mlflow_http/call.h"
#include "protocols/mlflow_http/codec/answer.h"
#include "protocols/mlflow_http/codec/content_type.h"
#include "protocols/mlflow_http/infer_call.h"
#include "protocols/mlflow_http/router.h"

namespace inferd::mlflow_http {

namespace {

constexpr int kNotFound = 404;
constexpr int kMethodNotAllowed = 405;
constexpr int kUnsupportedMediaType = 415;
// Bodies of requests other than inferences are not used.
constexpr uint64_t kControlBytesMax = 1 << 20;

// The text of the web framework of MLflow's scoring server.
net::HttpResponse WrongVerb(const Route& route) {
  net::HttpResponse response =
      net::HttpResponse::Text(kMethodNotAllowed, "application/json", R"({"detail":"Method Not Allowed"})");
  response.headers.emplace_back("Allow", route.allow);
  return response;
}

net::HttpResponse Unread(std::string_view why) {
  return net::HttpResponse::Text(kUnsupportedMediaType, "text/plain", why);
}

std::optional<net::ContentCoding> CodingOf(const net::RequestHead& head) {
  return net::ParseContentCoding(head.Find("Content-Encoding").value_or(""));
}

net::HttpResponse Health(bool healthy) {
  return net::HttpResponse::Text(healthy ? 200 : kNotFound, "application/json", "\n");
}

class Handler final : public net::HttpHandler {
 public:
  explicit Handler(Environment environment)
      : environment_(std::make_shared<const Environment>(std::move(environment))), options_(environment_->options) {}

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    const Route route = FindRoute(head);
    if (route.endpoint == Endpoint::kWrongVerb) return Refuse(head, route, WrongVerb(route));
    const base::Status access = environment_->access.Check(GroupOf(route.endpoint), head);
    if (!access.ok()) return Refuse(head, route, ErrorAnswer(options_, access));
    net::BodyPlan plan;
    plan.bytes_max = options_.body_bytes_max;
    if (route.endpoint != Endpoint::kInvocations) {
      plan.bytes_max = std::min(options_.body_bytes_max, kControlBytesMax);
      return plan;
    }
    const auto form = FormOfBody(head.Find("Content-Type").value_or(""));
    if (!form.has_value()) return Refuse(head, route, Unread(form.error().message()));
    if (!CodingOf(head)) return Refuse(head, route, Unread("Content-Encoding: expected gzip, deflate or identity"));
    return plan;
  }

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    const Route route = FindRoute(request.head);
    Call call(environment_, request.head, request.received_ns, std::move(reply));
    switch (route.endpoint) {
      case Endpoint::kInvocations: return Invoke(std::move(call), route, std::move(request));
      case Endpoint::kPing: return SendHealth(std::move(call));
      case Endpoint::kVersion: return call.Send(net::HttpResponse::Text(200, "application/json", base::BuildVersion()));
      case Endpoint::kNone:
      case Endpoint::kWrongVerb: return call.Send(WrongVerb(route));
    }
  }

 private:
  // The server is healthy if its model answers or, without a specific model, if the server is ready.
  void SendHealth(Call call) const {
    const auto model = ModelOf(*environment_);
    if (!model.has_value()) {
      return call.Send(Health(environment_->options.model.empty() && environment_->catalog.ServerReady()));
    }
    net::Loop& loop = call.loop();
    call::AskModelReady(environment_->catalog, loop, *model, "", std::move(call),
                        [](Call asked, const base::Status& readiness) { asked.Send(Health(readiness.ok())); });
  }

  void Invoke(Call call, const Route& route, net::HttpRequest request) const {
    std::string model(route.model);
    if (model.empty()) {
      auto meant = ModelOf(*environment_);
      if (!meant.has_value()) return call.Send(ErrorAnswer(options_, meant.error()));
      model = *std::move(meant);
    }
    call.SetModel(model, "");
    const BodyForm form = *FormOfBody(request.head.Find("Content-Type").value_or(""));
    const net::ContentCoding coding = CodingOf(request.head).value_or(net::ContentCoding::kIdentity);
    InferCall::Start(std::make_unique<InferCall>(std::move(call), std::move(model), form, coding), std::move(request));
  }

  net::BodyPlan Refuse(const net::RequestHead& head, const Route& route, net::HttpResponse response) const {
    rest::LogRefusal(options_, environment_->logger, head, response, {.model = route.model});
    net::BodyPlan plan;
    plan.refuse = std::move(response);
    return plan;
  }

  const std::shared_ptr<const Environment> environment_;
  const Options& options_;
};

}  // namespace

base::Result<std::string> ModelOf(const Environment& environment) {
  if (!environment.options.model.empty()) return environment.options.model;
  std::vector<std::string> names = environment.catalog.ModelNames();
  if (names.size() == 1) return std::move(names.front());
  return std::unexpected(base::NotFound(
      (names.empty() ? std::string("There is no model") : "There are " + std::to_string(names.size()) + " models") +
      " here: ask /models/NAME/invocations, or start the server with --invocations-model=NAME"));
}

std::unique_ptr<net::HttpHandler> MakeHandler(Environment environment) {
  return std::make_unique<Handler>(std::move(environment));
}

}  // namespace inferd::mlflow_http
