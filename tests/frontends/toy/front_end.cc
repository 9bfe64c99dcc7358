#include "tests/frontends/toy/front_end.h"

#include <string>
#include <string_view>
#include <utility>

#include "net/grpc/service.h"
#include "protocols/common_options.h"
#include "protocols/rest/call.h"
#include "protocols/rest/error_response.h"
#include "protocols/rest/infer_call.h"

namespace inferd::toy {

namespace {

constexpr std::string_view kPrefix = "/toy/";
constexpr const char* kStatus = "Toy-Status";

net::HttpResponse Refusal(int status, std::string_view text) {
  net::HttpResponse response = net::HttpResponse::Text(status, "text/plain", text);
  response.headers.emplace_back(kStatus, "refused");
  return response;
}

class InferCall final : public rest::InferCall {
 public:
  InferCall(const rest::Surroundings& surroundings, rest::Call&& call, std::string model)
      : rest::InferCall(surroundings, std::move(call)), model_(std::move(model)) {}

 private:
  base::Status BeginWith(const net::RequestHead&) override {
    if (pinned() != nullptr) return {};
    INFERD_ASSIGN_OR_RETURN(auto found, dispatcher().Find(model_, ""));
    Pin(std::move(found));
    return {};
  }
  core::VersionName Meant() const override { return {.model = model_, .version = {}}; }
  bool DecodingIsBig(size_t) const override { return false; }
  base::Result<std::unique_ptr<core::InferRequest>> Decode(const base::BufferSlice& body) override {
    const auto elements = static_cast<int64_t>(body.size() / sizeof(int32_t));
    auto request = std::make_unique<core::InferRequest>();
    request->model_name = model_;
    request->inputs.push_back({.name = pinned()->signature().inputs.front().name,
                               .datatype = tensor::DataType::kInt32,
                               .shape = {1, elements},
                               .data = body,
                               .parameters = {}});
    return request;
  }
  bool EncodingIsBig(const core::InferResponse&) const override { return false; }
  base::Result<net::HttpResponse> Encode(core::InferResponse&& response) override {
    net::HttpResponse answer;
    answer.body.push_back(std::move(response.outputs.front().data));
    return answer;
  }
  void OnEnd(base::StatusCode code, net::HttpResponse& answer) override {
    answer.headers.emplace_back(kStatus, base::StatusCodeName(code));
  }

  const std::string model_;
};

class Handler final : public net::HttpHandler {
 public:
  Handler(const rest::Options& options, const protocol::Services& services) : options_(options), services_(services) {}

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    net::BodyPlan plan;
    const base::Status admitted = services_.access.Check(access::Group::kInference, head);
    if (!admitted.ok()) plan.refuse = rest::ErrorResponse(options_, admitted);
    return plan;
  }

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    rest::Call call(options_, services_.logger, services_.clock, request.head, request.received_ns, std::move(reply));
    if (request.head.method != net::Method::kPost)
      return call.Send(net::HttpResponse::Text(200, "text/plain", "alive"));
    const rest::Surroundings surroundings{
        .options = options_, .dispatcher = services_.dispatcher, .pool = services_.pool};
    std::string model(request.head.target.substr(kPrefix.size()));
    rest::InferCall::Start(std::make_unique<InferCall>(surroundings, std::move(call), std::move(model)),
                           std::move(request));
  }

 private:
  const rest::Options& options_;
  const protocol::Services services_;
};

class Toy final : public protocol::FrontEnd {
 public:
  explicit Toy(const protocol::Settings& settings) {
    protocol::SetRestOptions(settings.options, options_);
    options_.outputs = &settings.outputs;
  }

  bool Claims(const net::RequestHead& head) const override {
    return head.target == "/toy" || head.target.starts_with(kPrefix);
  }
  std::unique_ptr<net::HttpHandler> HttpHandler(const protocol::Services& services) const override {
    return std::make_unique<Handler>(options_, services);
  }
  net::RefusalForm refusal_form() const override { return Refusal; }

  std::vector<net::grpc::Method> GrpcMethods(const protocol::Services&, std::span<const std::string>) const override {
    std::vector<net::grpc::Method> methods;
    methods.push_back({.path = "/toy.Toy/Echo"});
    methods.back().unary = [](net::grpc::CallContext&&, base::BufferSlice message, net::grpc::Responder responder) {
      net::grpc::Message answer;
      answer.push_back(std::move(message));
      responder.Answer(std::move(answer));
    };
    return methods;
  }
  std::optional<protocol::MethodAccess> AccessOf(std::string_view path) const override {
    if (path != "/toy.Toy/Echo") return std::nullopt;
    return protocol::MethodAccess{.group = access::Group::kTrace};
  }
  bool IsVital(const net::RequestHead& head) const override { return head.target == "/toy"; }

 private:
  rest::Options options_;
};

}  // namespace

std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings) {
  return std::make_unique<Toy>(settings);
}

}  // namespace inferd::toy
