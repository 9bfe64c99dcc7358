#include "server/http/path_switch.h"

#include <utility>

namespace inferd::server {

namespace {

class PathSwitch final : public net::HttpHandler {
 public:
  PathSwitch(PathTest chosen, std::unique_ptr<net::HttpHandler> first, std::unique_ptr<net::HttpHandler> second)
      : chosen_(std::move(chosen)), first_(std::move(first)), second_(std::move(second)) {}

  net::BodyPlan OnHead(const net::RequestHead& head) override { return Of(head).OnHead(head); }
  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    net::HttpHandler& handler = Of(request.head);
    handler.OnRequest(std::move(request), std::move(reply));
  }
  void OnDrain() override {
    first_->OnDrain();
    second_->OnDrain();
  }

 private:
  net::HttpHandler& Of(const net::RequestHead& head) { return chosen_(head) ? *first_ : *second_; }

  const PathTest chosen_;
  const std::unique_ptr<net::HttpHandler> first_;
  const std::unique_ptr<net::HttpHandler> second_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakePathSwitch(PathTest chosen, std::unique_ptr<net::HttpHandler> first,
                                                 std::unique_ptr<net::HttpHandler> second) {
  return std::make_unique<PathSwitch>(std::move(chosen), std::move(first), std::move(second));
}

}  // namespace inferd::server
