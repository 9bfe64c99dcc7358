#pragma once

#include <functional>

#include "net/http/http.h"

namespace inferd::net {

// Decides whether a request is answered even if there are too many connections, as health checks are. Called on any
// loop.
using VitalRequest = std::function<bool(const RequestHead&)>;

// The handler of a connection beyond the limit: vital requests go to the listener's own handler, others are refused
// with 503. Loop-bound.
class OverLimitHandler final : public HttpHandler {
 public:
  // `handler` outlives this. If `vital` is empty, no request is vital.
  OverLimitHandler(HttpHandler& handler, VitalRequest vital) : handler_(handler), vital_(std::move(vital)) {}

  BodyPlan OnHead(const RequestHead& head) override;
  void OnRequest(HttpRequest request, Reply reply) override {
    handler_.OnRequest(std::move(request), std::move(reply));
  }

 private:
  HttpHandler& handler_;
  const VitalRequest vital_;
};

}  // namespace inferd::net
