#include "protocols/mlflow_http/router.h"

#include <utility>

namespace inferd::mlflow_http {

namespace {

Route Asked(const net::RequestHead& head, Endpoint endpoint) {
  const bool get = head.method == net::Method::kGet || head.method == net::Method::kHead;
  return {.endpoint = get ? endpoint : Endpoint::kWrongVerb, .allow = "GET, HEAD"};
}

Route Invoked(const net::RequestHead& head, std::string_view model) {
  const bool post = head.method == net::Method::kPost;
  return {.endpoint = post ? Endpoint::kInvocations : Endpoint::kWrongVerb, .model = model, .allow = "POST"};
}

}  // namespace

access::Group GroupOf(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::kInvocations: return access::Group::kInference;
    case Endpoint::kVersion: return access::Group::kMetadata;
    case Endpoint::kNone:
    case Endpoint::kWrongVerb:
    case Endpoint::kPing: return access::Group::kHealth;
  }
  std::unreachable();
}

Route FindRoute(const net::RequestHead& head) {
  const auto& path = head.segments;
  if (path.size() == 1) {
    if (path[0] == "ping" || path[0] == "health") return Asked(head, Endpoint::kPing);
    if (path[0] == "version") return Asked(head, Endpoint::kVersion);
    if (path[0] == "invocations") return Invoked(head, {});
  }
  if (path.size() == 3 && path[0] == "models" && !path[1].empty() && path[2] == "invocations") {
    return Invoked(head, path[1]);
  }
  return {};
}

}  // namespace inferd::mlflow_http
