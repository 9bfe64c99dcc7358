#include "kserve/gateway/route_table.h"

#include <algorithm>
#include <array>

#include "base/text/ascii_case.h"
#include "net/http/host.h"

namespace inferd::gateway {

namespace {

constexpr std::string_view kAnyHost = "*";
// Only this many segments of a path are used for the lookup. Longer prefixes are compared as text.
constexpr size_t kSegmentsMax = 16;

}  // namespace

RouteTable::Place RouteTable::PlaceOf(const std::string& host, const Route& route) {
  if (host != kAnyHost) return {.any_host = false, .key = host};
  const std::string& prefix = route.path_prefix;
  // The key of a route whose prefix is the whole path, ends at a slash, or ends within a segment.
  const bool whole = !prefix.empty() && route.path_suffix == prefix;
  std::string key = whole ? prefix : prefix.substr(0, std::max<size_t>(prefix.rfind('/') + 1, 1) - 1);
  size_t end = 0;
  for (size_t i = 0; i < kSegmentsMax && end != std::string::npos; ++i) end = key.find('/', end + 1);
  if (end != std::string::npos) key.resize(end);
  return {.any_host = true, .key = std::move(key)};
}

void RouteTable::Replace(const std::string& owner, RouteList routes) {
  Drop(owner);
  Append(owner, std::move(routes));
}

void RouteTable::Append(const std::string& owner, RouteList routes) {
  if (routes.empty()) return;
  const auto* const before = owners_.Find(owner);
  auto places = before == nullptr ? std::make_shared<std::set<Place>>() : std::make_shared<std::set<Place>>(**before);
  for (auto& [host, route] : routes) {
    const Place place = PlaceOf(host, route);
    Map& map = MapOf(place);
    const Routes* const there = map.Find(place.key);
    auto more = there == nullptr ? std::make_shared<std::vector<OwnedRoute>>()
                                 : std::make_shared<std::vector<OwnedRoute>>(**there);
    more->insert(std::ranges::upper_bound(*more, owner, {}, &OwnedRoute::owner), {owner, std::move(route)});
    map = map.With(place.key, std::move(more));
    places->insert(place);
  }
  owners_ = owners_.With(owner, std::move(places));
}

void RouteTable::Drop(const std::string& owner) {
  const auto* const found = owners_.Find(owner);
  if (found == nullptr) return;
  for (const Place& place : **found) {
    Map& map = MapOf(place);
    auto rest = std::make_shared<std::vector<OwnedRoute>>(**map.Find(place.key));
    std::erase_if(*rest, [&](const OwnedRoute& each) { return each.owner == owner; });
    map = rest->empty() ? map.Without(place.key) : map.With(place.key, std::move(rest));
  }
  owners_ = owners_.Without(owner);
}

const RouteTable::Routes* RouteTable::RoutesOf(std::string_view host) const {
  std::array<char, net::kHostNameBytesMax> lower;
  if (host.size() > lower.size()) return nullptr;
  std::ranges::transform(host, lower.begin(), base::LowerAscii);
  return hosts_.Find(std::string_view(lower.data(), host.size()));
}

bool RouteTable::HasHost(std::string_view text) const {
  const auto host = net::ParseHost(text);
  return host.has_value() && (!paths_.empty() || RoutesOf(host->name) != nullptr);
}

const Route* RouteTable::Match(const Routes& routes, std::string_view path) {
  for (const OwnedRoute& each : *routes) {
    if (path.starts_with(each.route.path_prefix) && path.ends_with(each.route.path_suffix)) return &each.route;
  }
  return nullptr;
}

const Route* RouteTable::FindByPath(std::string_view path) const {
  const Route* found = nullptr;
  size_t end = 0;
  for (size_t i = 0; i <= kSegmentsMax; ++i) {
    const Routes* const routes = paths_.Find(path.substr(0, end));
    const Route* const route = routes == nullptr ? nullptr : Match(*routes, path);
    if (route != nullptr) found = route;
    if (end >= path.size()) break;
    end = std::min(path.find('/', end + 1), path.size());
  }
  return found;
}

const Route* RouteTable::Find(std::string_view text, std::string_view path) const {
  const auto host = net::ParseHost(text);
  if (!host.has_value()) return nullptr;
  if (const Routes* const routes = RoutesOf(host->name)) return Match(*routes, path);
  return FindByPath(path);
}

const Destination* RouteTable::Choose(const Route& route, std::string_view tag, uint32_t lot) {
  if (!tag.empty()) {
    for (const Destination& destination : route.destinations) {
      if (destination.tag == tag) return &destination;
    }
  }
  for (const Destination& destination : route.destinations) {
    if (lot < destination.percent) return &destination;
    lot -= destination.percent;
  }
  return nullptr;
}

}  // namespace inferd::gateway
