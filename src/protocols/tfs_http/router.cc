#include "protocols/tfs_http/router.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/text/ascii_case.h"
#include "base/text/digits.h"

namespace inferd::tfs_http {

namespace {

// v1/models/M/versions/V/metadata
constexpr size_t kSegmentsMax = 6;

// A path's segments as sent, beside the decoded ones.
struct Path {
  std::array<std::string_view, kSegmentsMax> raw;
  std::span<const std::string_view> decoded;

  size_t size() const { return decoded.size(); }
  // True if it is neither empty nor has an unescaped ':'.
  bool IsName(size_t i) const { return !raw[i].empty() && !raw[i].contains(':'); }
  bool Is(size_t i, std::string_view word) const { return base::EqualWithoutCase(raw[i], word); }
};

// Returns false if there are more segments than any route has, or a query after them.
bool TakeApart(const net::RequestHead& head, Path& path) {
  std::string_view target = head.target;
  if (target.contains('?') || target.contains('#')) return false;
  if (const size_t scheme = target.find("://"); !target.starts_with('/') && scheme != std::string_view::npos) {
    target.remove_prefix(std::min(target.find('/', scheme + 3), target.size()));
  }
  path.decoded = head.segments;
  if (path.size() > kSegmentsMax) return false;
  for (size_t i = 0; i < path.size(); ++i) {
    if (!target.starts_with('/')) return false;
    target.remove_prefix(1);
    const size_t end = std::min(target.find('/'), target.size());
    path.raw[i] = target.substr(0, end);
    target.remove_prefix(end);
  }
  return target.empty() || path.size() == 0;
}

// Reads segments 2 to `end`: M, M/versions/V or M/labels/L. Returns false if they are none of these.
bool ReadModel(const Path& path, size_t end, Route& route) {
  if (end != 3 && end != 5) return false;
  if (!path.IsName(2)) return false;
  route.model = path.decoded[2];
  if (end == 3) return true;
  if (path.Is(3, "versions") && base::IsDigits(path.raw[4])) {
    route.version = path.decoded[4];
    return true;
  }
  if (!path.Is(3, "labels") || !path.IsName(4)) return false;
  route.label = path.decoded[4];
  return true;
}

Route GetRoute(const Path& path) {
  Route route{.endpoint = Endpoint::kStatus};
  size_t end = path.size();
  if (end == 2) return {.endpoint = Endpoint::kModels};
  if (end > 3 && end % 2 == 0 && path.Is(end - 1, "metadata")) {
    route.endpoint = Endpoint::kMetadata;
    --end;
  }
  return ReadModel(path, end, route) ? route : Route{};
}

Endpoint VerbEndpoint(std::string_view verb) {
  if (verb == "predict") return Endpoint::kPredict;
  if (verb == "classify") return Endpoint::kClassify;
  if (verb == "regress") return Endpoint::kRegress;
  return Endpoint::kMalformed;
}

Route PostRoute(Path path) {
  std::string_view& last = path.raw[path.size() - 1];
  const size_t colon = last.rfind(':');
  if (colon == std::string_view::npos) return {};
  const size_t verb_size = last.size() - colon;  // including its colon
  Route route{.endpoint = VerbEndpoint(last.substr(colon + 1))};
  if (route.endpoint == Endpoint::kMalformed) return {};
  last = last.substr(0, colon);
  if (!ReadModel(path, path.size(), route)) return {};
  // A verb has no escapes, so its decoded length is the same.
  std::string_view& name = path.size() == 3 ? route.model : route.label.empty() ? route.version : route.label;
  name.remove_suffix(verb_size);
  return route;
}

// Called for every request to the server: it stops at the first different character.
bool IsMetrics(const net::RequestHead& head, std::string_view path) {
  if (path.empty() || !head.target.starts_with(path)) return false;
  const std::string_view rest = head.target.substr(path.size());
  return rest.empty() || rest[0] == '?' || rest[0] == '#';
}

bool IsGet(net::Method method) { return method == net::Method::kGet || method == net::Method::kHead; }

}  // namespace

access::Group GroupOf(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::kPredict:
    case Endpoint::kClassify:
    case Endpoint::kRegress: return access::Group::kInference;
    case Endpoint::kModels:
    case Endpoint::kMetadata: return access::Group::kMetadata;
    case Endpoint::kMetrics: return access::Group::kMetrics;
    case Endpoint::kMalformed:
    case Endpoint::kStatus:
    case Endpoint::kPreflight: return access::Group::kHealth;
  }
  std::unreachable();
}

bool IsOurs(const net::RequestHead& head, std::string_view metrics_path) {
  return (!head.segments.empty() && base::EqualWithoutCase(head.segments[0], "v1")) || IsMetrics(head, metrics_path);
}

Route FindRoute(const net::RequestHead& head, std::string_view metrics_path) {
  if (head.method == net::Method::kOptions) return {.endpoint = Endpoint::kPreflight};
  if (IsMetrics(head, metrics_path))
    return {.endpoint = IsGet(head.method) ? Endpoint::kMetrics : Endpoint::kMalformed};
  Path path;
  if (!TakeApart(head, path) || path.size() < 2 || !path.Is(0, "v1")) return {};
  if (IsGet(head.method)) return path.Is(1, "models") ? GetRoute(path) : Route{};
  if (head.method != net::Method::kPost || path.size() < 3 || !path.Is(1, "models")) return {};
  return PostRoute(path);
}

}  // namespace inferd::tfs_http
