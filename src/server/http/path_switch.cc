#include "server/http/path_switch.h"

#include <utility>

namespace inferd::server {

namespace {

class PathSwitch final : public net::HttpHandler {
 public:
  PathSwitch(std::vector<ClaimedPaths> claimed, ClaimedPaths rest)
      : claimed_(std::move(claimed)), rest_(std::move(rest)) {}

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    const uint32_t choice = Choose(head);
    const ClaimedPaths& paths = Chosen(choice);
    net::BodyPlan plan = paths.handler->OnHead(head);
    plan.refusal_form = paths.refusal_form;
    plan.choice = choice;
    return plan;
  }
  // The handler is chosen once, from the head. A claim may depend on a model, which may change while the body arrives,
  // and the chosen handler has already checked access.
  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    net::HttpHandler& handler = *Chosen(request.choice).handler;
    handler.OnRequest(std::move(request), std::move(reply));
  }
  net::RefusalForm RefusalFormOf(const net::RequestHead& head) const override {
    return Chosen(Choose(head)).refusal_form;
  }
  void OnDrain() override {
    for (const ClaimedPaths& paths : claimed_) paths.handler->OnDrain();
    rest_.handler->OnDrain();
  }

 private:
  // Returns 0 for the rest, otherwise the position in `claimed_`, from 1.
  uint32_t Choose(const net::RequestHead& head) const {
    for (uint32_t i = 0; i < claimed_.size(); ++i) {
      if (claimed_[i].claims(head)) return i + 1;
    }
    return 0;
  }
  const ClaimedPaths& Chosen(uint32_t choice) const { return choice == 0 ? rest_ : claimed_[choice - 1]; }

  const std::vector<ClaimedPaths> claimed_;
  const ClaimedPaths rest_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakePathSwitch(std::vector<ClaimedPaths> claimed, ClaimedPaths rest) {
  return std::make_unique<PathSwitch>(std::move(claimed), std::move(rest));
}

}  // namespace inferd::server
