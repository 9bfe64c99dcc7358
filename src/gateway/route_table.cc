#include "gateway/route_table.h"

#include <algorithm>
#include <array>

#include "net/http/ascii.h"

namespace inferd::gateway {

namespace {

constexpr size_t kHostBytesMax = 255;

std::string_view WithoutPort(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.rfind(':'));
}

}  // namespace

void RouteTable::Add(std::string host, Route route) { hosts_[std::move(host)].push_back(std::move(route)); }

const std::vector<Route>* RouteTable::RoutesOf(std::string_view host) const {
  host = WithoutPort(host);
  std::array<char, kHostBytesMax> lower;
  if (host.size() > lower.size()) return nullptr;
  std::ranges::transform(host, lower.begin(), net::LowerAscii);
  auto found = hosts_.find(std::string_view(lower.data(), host.size()));
  if (found == hosts_.end()) found = hosts_.find("*");
  return found == hosts_.end() ? nullptr : &found->second;
}

bool RouteTable::HasHost(std::string_view host) const { return RoutesOf(host) != nullptr; }

const Route* RouteTable::Find(std::string_view host, std::string_view path) const {
  const std::vector<Route>* const routes = RoutesOf(host);
  if (routes == nullptr) return nullptr;
  for (const Route& route : *routes) {
    if (path.starts_with(route.path_prefix) && path.ends_with(route.path_suffix)) return &route;
  }
  return nullptr;
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
