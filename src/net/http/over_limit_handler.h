#pragma once

#include <functional>

#include "net/http/http.h"

namespace inferd::net {

// Whether a request is to be answered though there are too many connections: a health check, say. Called on any loop.
using VitalRequest = std::function<bool(const RequestHead&)>;

// What a connection serves that is one too many: vital requests, by the listener's own handler; others are refused with
// 503. Loop-bound.
class OverLimitHandler final : public HttpHandler {
 public:
  // `handler` outlives this. `vital` empty: no request is.
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
