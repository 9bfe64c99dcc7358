#include "protocols/kserve_v1/router.h"

#include <utility>

namespace inferd::kserve_v1 {

namespace {

bool IsGet(net::Method method) { return method == net::Method::kGet || method == net::Method::kHead; }

Route Asked(const net::RequestHead& head, Endpoint endpoint) {
  return {.endpoint = IsGet(head.method) ? endpoint : Endpoint::kWrongVerb};
}

}  // namespace

access::Group GroupOf(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::kPredict:
    case Endpoint::kExplain: return access::Group::kInference;
    case Endpoint::kModels: return access::Group::kMetadata;
    case Endpoint::kNone:
    case Endpoint::kWrongVerb:
    case Endpoint::kAlive:
    case Endpoint::kModel: return access::Group::kHealth;
  }
  std::unreachable();
}

Route FindRoute(const net::RequestHead& head) {
  if (head.segments.empty()) return head.target.starts_with('/') ? Asked(head, Endpoint::kAlive) : Route{};
  if (head.segments[0] != "v1" || head.segments.size() < 2 || head.segments.size() > 3) return {};
  if (head.segments[1] != "models") return {};
  if (head.segments.size() == 2) return Asked(head, Endpoint::kModels);
  const std::string_view last = head.segments[2];
  if (head.method == net::Method::kPost) {
    constexpr std::pair<std::string_view, Endpoint> kVerbs[] = {{":predict", Endpoint::kPredict},
                                                                {":explain", Endpoint::kExplain}};
    for (const auto& [verb, endpoint] : kVerbs) {
      if (!last.ends_with(verb)) continue;
      return {.endpoint = endpoint, .model = last.substr(0, last.size() - verb.size())};
    }
  }
  Route route = Asked(head, Endpoint::kModel);
  route.model = last;
  return route;
}

}  // namespace inferd::kserve_v1
