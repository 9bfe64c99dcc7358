#include "kserve/agent/ready/probe_handler.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "kserve/agent/ready/probe_call.h"
#include "net/end_of_turn.h"

namespace inferd::agent {

namespace {

constexpr std::string_view kProbeField = "K-Network-Probe";
constexpr std::string_view kQueue = "queue";
constexpr std::string_view kKubelet = "kube-probe/";

void Answer(net::Reply& reply, int status, std::string_view text) {
  reply.Send(net::HttpResponse::Text(status, "text/plain", text));
}

class ProbeHandler final : public net::HttpHandler {
 public:
  ProbeHandler(const ReadinessProbe& probe, const std::atomic<bool>& draining, net::EventLoop& loop,
               std::unique_ptr<net::HttpHandler> inner)
      : probe_(probe), draining_(draining), loop_(loop), inner_(std::move(inner)), pool_(loop, {}), done_(loop) {}

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    return AsksForReadiness(head) ? net::BodyPlan() : inner_->OnHead(head);
  }

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    const auto asked = request.head.Find(kProbeField);
    if (!asked.has_value()) return inner_->OnRequest(std::move(request), std::move(reply));
    if (*asked != kQueue) return Answer(reply, 400, "unexpected probe header value: \"" + std::string(*asked) + "\"");
    if (draining_.load(std::memory_order_relaxed)) return Answer(reply, 503, "shutting down");
    const uint64_t id = ++last_;
    calls_[id] = ProbeCall::Begin(probe_, loop_, pool_, [this, id, answer = std::move(reply)](bool ready) mutable {
      Answer(answer, ready ? 200 : 503, ready ? kQueue : "queue not ready");
      if (auto call = calls_.extract(id)) done_.Add(std::move(call.mapped()));
    });
  }

  net::RefusalForm RefusalFormOf(const net::RequestHead& head) const override { return inner_->RefusalFormOf(head); }
  void OnDrain() override { inner_->OnDrain(); }

 private:
  const ReadinessProbe& probe_;
  const std::atomic<bool>& draining_;
  net::EventLoop& loop_;
  const std::unique_ptr<net::HttpHandler> inner_;
  net::upstream::Pool pool_;
  net::DestroyedAtEndOfTurn<ProbeCall> done_;
  uint64_t last_ = 0;
  std::unordered_map<uint64_t, std::unique_ptr<ProbeCall>> calls_;
};

}  // namespace

bool AsksForReadiness(const net::RequestHead& head) { return head.Find(kProbeField).has_value(); }

bool IsProbe(const net::RequestHead& head) {
  return AsksForReadiness(head) || head.Find("User-Agent").value_or("").starts_with(kKubelet);
}

std::unique_ptr<net::HttpHandler> MakeProbeHandler(const ReadinessProbe& probe, const std::atomic<bool>& draining,
                                                   net::EventLoop& loop, std::unique_ptr<net::HttpHandler> inner) {
  return std::make_unique<ProbeHandler>(probe, draining, loop, std::move(inner));
}

}  // namespace inferd::agent
