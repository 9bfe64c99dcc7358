#include "net/http/over_limit_handler.h"

namespace inferd::net {

BodyPlan OverLimitHandler::OnHead(const RequestHead& head) {
  if (vital_ && vital_(head)) return handler_.OnHead(head);
  BodyPlan plan;
  plan.refuse = HttpResponse::Text(503, "application/json", R"({"error":"too many connections"})");
  plan.refuse->headers.emplace_back("Retry-After", "1");
  plan.refuse->close = true;
  return plan;
}

}  // namespace inferd::net
