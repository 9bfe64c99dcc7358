#include "kserve/cluster/admission/webhook_handler.h"

#include <stop_token>
#include <string_view>
#include <utility>

#include "kserve/cluster/admission/admission_review.h"
#include "net/loop/off_loop.h"

namespace inferd::cluster {

namespace {

constexpr std::string_view kJson = "application/json";

net::HttpResponse Refusal(int status, std::string_view text) {
  return net::HttpResponse::Text(status, kJson, StatusJson(status, "", text));
}

// A review in progress, perhaps on another thread.
struct ReviewCall {
  net::HttpRequest request;
  net::Reply reply;
  std::stop_source stop{};
  net::Loop::TimerId timer = 0;
  ReviewAnswer answer{};
};

std::string_view ReviewPath(const net::HttpRequest& request) {
  return request.head.target.substr(0, request.head.target.find('?'));
}

class WebhookHandler final : public net::HttpHandler {
 public:
  WebhookHandler(const WebhookWork& work, net::Loop& loop) : work_(work), loop_(loop) {}

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    net::BodyPlan plan;
    plan.bytes_max = kReviewBytesMax;
    plan.refusal_form = &Refusal;
    if (head.method != net::Method::kPost) plan.refuse = Refusal(405, "a webhook is asked by POST");
    return plan;
  }

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    const bool looks_up = LooksUp(ReviewPath(request));
    if (looks_up && work_.lookups.queued() >= work_.lookups_waiting_max) {
      return reply.Send(Refusal(503, "too many reviews wait for what they look up"));
    }
    auto call = std::make_unique<ReviewCall>(ReviewCall{.request = std::move(request), .reply = std::move(reply)});
    if (looks_up) LimitTime(*call);
    net::WorkThenGoOn(
        std::move(call), loop_, work_.lookups, looks_up,
        [&context = work_.context](ReviewCall& asked) {
          const std::string_view body(reinterpret_cast<const char*>(asked.request.body.data()),
                                      asked.request.body.size());
          asked.answer = Review(ReviewPath(asked.request), body, context, asked.stop.get_token());
        },
        [&loop = loop_](ReviewCall& asked) {
          loop.CancelTimer(asked.timer);
          asked.reply.Send(net::HttpResponse::Text(asked.answer.status, kJson, asked.answer.body));
        });
  }

  net::RefusalForm RefusalFormOf(const net::RequestHead&) const override { return &Refusal; }

 private:
  void LimitTime(ReviewCall& call) {
    const auto end = [stop = call.stop]() mutable { stop.request_stop(); };
    call.timer = loop_.RunAfter(work_.lookups_max, end);
    call.reply.OnPeerGone(end);
  }

  const WebhookWork work_;
  net::Loop& loop_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeWebhookHandler(const WebhookWork& work, net::Loop& loop) {
  return std::make_unique<WebhookHandler>(work, loop);
}

}  // namespace inferd::cluster
