#include "server/http/path_switch.h"

#include <utility>

namespace inferd::server {

namespace {

class PathSwitch final : public net::HttpHandler {
 public:
  PathSwitch(std::vector<ClaimedPaths> claimed, ClaimedPaths rest)
      : claimed_(std::move(claimed)), rest_(std::move(rest)) {}

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    const ClaimedPaths& paths = Of(head);
    net::BodyPlan plan = paths.handler->OnHead(head);
    plan.refusal_form = paths.refusal_form;
    return plan;
  }
  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    net::HttpHandler& handler = *Of(request.head).handler;
    handler.OnRequest(std::move(request), std::move(reply));
  }
  net::RefusalForm RefusalFormOf(const net::RequestHead& head) const override { return Of(head).refusal_form; }
  void OnDrain() override {
    for (const ClaimedPaths& paths : claimed_) paths.handler->OnDrain();
    rest_.handler->OnDrain();
  }

 private:
  const ClaimedPaths& Of(const net::RequestHead& head) const {
    for (const ClaimedPaths& paths : claimed_) {
      if (paths.claims(head)) return paths;
    }
    return rest_;
  }

  const std::vector<ClaimedPaths> claimed_;
  const ClaimedPaths rest_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakePathSwitch(std::vector<ClaimedPaths> claimed, ClaimedPaths rest) {
  return std::make_unique<PathSwitch>(std::move(claimed), std::move(rest));
}

}  // namespace inferd::server
