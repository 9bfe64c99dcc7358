#include "net/http/over_limit_handler.h"

#include "net/http/transport_answer.h"

namespace inferd::net {

BodyPlan OverLimitHandler::OnHead(const RequestHead& head) {
  if (vital_ && vital_(head)) return handler_.OnHead(head);
  BodyPlan plan;
  plan.refuse = TransportAnswer(503, "too many connections", handler_.RefusalFormOf(head));
  plan.refuse->headers.emplace_back("Retry-After", "1");
  plan.refuse->close = true;
  return plan;
}

}  // namespace inferd::net
