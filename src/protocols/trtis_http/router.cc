#include "protocols/trtis_http/router.h"

#include <algorithm>

#include "base/text/digits.h"

namespace inferd::trtis_http {

namespace {

// Returns the first value of that name. Empty if there is none.
std::string_view QueryValue(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name) return pair.substr(equals + 1);
  }
  return {};
}

Route Asked(Endpoint endpoint, net::Method method, const net::RequestHead& head) {
  return {.endpoint = head.method == method ? endpoint : Endpoint::kWrongMethod,
          .binary = QueryValue(head.query, "format") == "binary"};
}

Route StatusRoute(const net::RequestHead& head) {
  const auto& segments = head.segments;
  Route route = Asked(Endpoint::kStatus, net::Method::kGet, head);
  if (segments.size() > 2) route.model = segments[2];
  // No model's name has a slash: such a path is not found.
  if (segments.size() > 3) route.model = head.target.substr(0, head.target.find('?'));
  return route;
}

Route InferRoute(const net::RequestHead& head) {
  const auto& segments = head.segments;
  const bool versioned = segments.size() == 4;
  if ((segments.size() != 3 && !versioned) || segments[2].empty()) return {};
  if (versioned && !base::IsDigits(segments[3])) return {};
  Route route = Asked(Endpoint::kInfer, net::Method::kPost, head);
  route.model = segments[2];
  if (versioned) route.version = segments[3];
  return route;
}

Route HealthRoute(const net::RequestHead& head) {
  const auto& segments = head.segments;
  Route route = Asked(Endpoint::kHealth, net::Method::kGet, head);
  if (segments.size() > 2) route.word = segments[2];
  const bool known = route.word.empty() || route.word == "live" || route.word == "ready";
  return segments.size() <= 3 && known ? route : Route{};
}

}  // namespace

bool IsOurs(const net::RequestHead& head) {
  if (head.segments.size() < 2 || head.segments[0] != "api") return false;
  const std::string_view word = head.segments[1];
  return word.starts_with("status") || word.starts_with("infer") || word.starts_with("health") ||
         word.starts_with("profile");
}

Route FindRoute(const net::RequestHead& head) {
  if (!IsOurs(head)) return {};
  const std::string_view word = head.segments[1];
  if (word == "infer") return InferRoute(head);
  if (word == "status") return StatusRoute(head);
  if (word == "health") return HealthRoute(head);
  if (word != "profile" || head.segments.size() > 2) return {};
  Route route = Asked(Endpoint::kProfile, net::Method::kGet, head);
  route.word = QueryValue(head.query, "cmd");
  return route;
}

}  // namespace inferd::trtis_http
