#include "operator/admission/webhook_handler.h"

#include <string_view>
#include <utility>

#include "operator/admission/admission_review.h"
#include "operator/admission/review.h"

namespace inferd::operators {

namespace {

constexpr std::string_view kJson = "application/json";

net::HttpResponse Refusal(int status, std::string_view text) {
  return net::HttpResponse::Text(status, kJson, StatusJson(status, "", text));
}

class WebhookHandler final : public net::HttpHandler {
 public:
  explicit WebhookHandler(const controlplane::AdmissionContext& context) : context_(context) {}

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    net::BodyPlan plan;
    plan.bytes_max = kReviewBytesMax;
    plan.refusal_form = &Refusal;
    if (head.method != net::Method::kPost) plan.refuse = Refusal(405, "a webhook is asked by POST");
    return plan;
  }

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    const std::string_view path = request.head.target.substr(0, request.head.target.find('?'));
    const std::string_view body(reinterpret_cast<const char*>(request.body.data()), request.body.size());
    const ReviewAnswer answer = Review(path, body, context_);
    reply.Send(net::HttpResponse::Text(answer.status, kJson, answer.body));
  }

  net::RefusalForm RefusalFormOf(const net::RequestHead&) const override { return &Refusal; }

 private:
  const controlplane::AdmissionContext& context_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeWebhookHandler(const controlplane::AdmissionContext& context) {
  return std::make_unique<WebhookHandler>(context);
}

}  // namespace inferd::operators
