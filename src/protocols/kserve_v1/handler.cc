#include "protocols/kserve_v1/handler.h"

#include <algorithm>
#include <string>
#include <utility>

#include "data/json/writer.h"
#include "protocols/call/ask_model_ready.h"
#include "protocols/kserve_v1/call.h"
#include "protocols/kserve_v1/infer_call.h"
#include "protocols/kserve_v1/router.h"
#include "protocols/rest/error_response.h"
#include "protocols/rest/model_names.h"

namespace inferd::kserve_v1 {

namespace {

constexpr int kNotFound = 404;
constexpr int kMethodNotAllowed = 405;
constexpr int kUnsupportedMediaType = 415;
// Bodies of requests other than inferences are not used.
constexpr uint64_t kControlBytesMax = 1 << 20;

// The text of the web framework of KServe's servers for unknown routes.
net::HttpResponse NoSuchRoute(Endpoint endpoint) {
  const bool wrong_verb = endpoint == Endpoint::kWrongVerb;
  net::HttpResponse response =
      rest::JsonResponse(wrong_verb ? R"({"detail":"Method Not Allowed"})" : R"({"detail":"Not Found"})");
  response.status = wrong_verb ? kMethodNotAllowed : kNotFound;
  if (wrong_verb) response.headers.emplace_back("Allow", "GET, HEAD");
  return response;
}

std::optional<net::ContentCoding> CodingOf(const net::RequestHead& head) {
  return net::ParseContentCoding(head.Find("Content-Encoding").value_or(""));
}

net::HttpResponse ModelResponse(const Environment& environment, std::string_view model, const base::Status& readiness) {
  if (!readiness.ok()) return rest::ErrorResponse(environment.options, NotServed(model, readiness));
  json::Writer writer;
  writer.BeginObject();
  writer.Member("name", model);
  writer.Member("ready", true);
  writer.EndObject();
  return rest::JsonResponse(writer.TakeString());
}

class Handler final : public net::HttpHandler {
 public:
  explicit Handler(Environment environment)
      : environment_(std::make_shared<const Environment>(std::move(environment))), options_(environment_->options) {}

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    const Route route = FindRoute(head);
    if (route.endpoint == Endpoint::kNone || route.endpoint == Endpoint::kWrongVerb) {
      return Refuse(head, route, NoSuchRoute(route.endpoint));
    }
    const access::Group group = GroupOf(route.endpoint);
    const base::Status access = environment_->access.Check(group, head);
    if (!access.ok()) return Refuse(head, route, rest::ErrorResponse(options_, access));
    net::BodyPlan plan;
    plan.bytes_max = options_.body_bytes_max;
    if (group != access::Group::kInference) {
      plan.bytes_max = std::min(options_.body_bytes_max, kControlBytesMax);
      return plan;
    }
    if (CodingOf(head)) return plan;
    return Refuse(head, route,
                  rest::ErrorResponse(kUnsupportedMediaType,
                                      "Content-Encoding: expected gzip, deflate or identity, got '" +
                                          std::string(head.Find("Content-Encoding")->substr(0, 64)) + "'"));
  }

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    const Route route = FindRoute(request.head);
    Call call(environment_, request.head, request.received_ns, std::move(reply));
    call.SetModel(route.model, "");
    switch (route.endpoint) {
      case Endpoint::kPredict:
      case Endpoint::kExplain: {
        const net::ContentCoding coding = CodingOf(request.head).value_or(net::ContentCoding::kIdentity);
        return InferCall::Start(std::make_unique<InferCall>(std::move(call), route, coding), std::move(request));
      }
      case Endpoint::kAlive: return call.Send(rest::JsonResponse(R"({"status":"alive"})"));
      case Endpoint::kModels:
        return call.Send(rest::JsonResponse(rest::ModelNamesJson(environment_->catalog.ModelNames())));
      case Endpoint::kModel: return AnswerReady(std::move(call), route);
      case Endpoint::kNone:
      case Endpoint::kWrongVerb: return call.Send(NoSuchRoute(route.endpoint));
    }
  }

 private:
  void AnswerReady(Call call, const Route& route) const {
    net::Loop& loop = call.loop();
    call::AskModelReady(
        environment_->catalog, loop, route.model, "", std::move(call),
        [environment = environment_, model = std::string(route.model)](Call asked, const base::Status& readiness) {
          asked.Send(ModelResponse(*environment, model, readiness));
        });
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

base::Status NotServed(std::string_view model, base::Status status) {
  const std::string named = "Model with name " + std::string(model);
  if (status.code() == base::StatusCode::kNotFound) return base::NotFound(named + " does not exist.");
  if (status.code() == base::StatusCode::kUnavailable) return base::Unavailable(named + " is not ready.");
  return status;
}

std::unique_ptr<net::HttpHandler> MakeHandler(Environment environment) {
  return std::make_unique<Handler>(std::move(environment));
}

}  // namespace inferd::kserve_v1
