#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/persistent_map.h"
#include "kserve/gateway/backend.h"
#include "kserve/gateway/routed_call.h"

namespace inferd::gateway {

// A destination of a route, with its share of the requests.
struct Destination {
  std::shared_ptr<Backend> backend;
  uint32_t percent = 100;  // sums up to 100 per route; 0 if only its tag selects it
  std::string tag = {};    // selected by the header Knative-Serving-Tag; empty if none
};

// A route for requests whose path has this prefix and suffix.
struct Route {
  std::string path_prefix;   // any if empty
  std::string path_suffix;   // of the path without the query; any if empty
  std::string strip_prefix;  // removed from the path before forwarding; the path begins with it
  std::vector<Destination> destinations;
  std::shared_ptr<const LocalService> service = nullptr;  // answers instead of destinations
  std::chrono::milliseconds timeout{300'000};             // until the response begins
  std::chrono::milliseconds wait_timeout{300'000};        // for a free replica
};

// A route of a host. The host has no port and is in lower case; "*" matches every host that the table lacks.
struct HostRoute {
  std::string host;
  Route route;
};
using RouteList = std::vector<HostRoute>;

// A table of hosts and their routes. Immutable while in use: for a change, a modified copy replaces it. A copy shares
// all unchanged parts, so a change costs as much as the routes of one owner.
//
// The routes of a host are tried in the order of their owners' names, and within an owner in list order. For the host
// "*", routes whose path_prefix has more segments come first.
class RouteTable final {
 public:
  // Appends a route to those of `owner`.
  void Add(std::string host, Route route) { Append("", {{std::move(host), std::move(route)}}); }
  // Replaces the routes of `owner`.
  void Replace(const std::string& owner, RouteList routes);

  // Finds the route of a request. `text` is its Host header, which net::ParseHost parses. `path` has no query. Null if
  // there is none, or if `text` is no valid host.
  const Route* Find(std::string_view text, std::string_view path) const;
  bool HasHost(std::string_view text) const;
  // Returns true if there is a route for exactly that host, as added.
  bool HasOwnHost(std::string_view host) const { return hosts_.Find(host) != nullptr; }

  // Chooses the destination of a request: the one with the tag, else one by `lot`, a random number below 100. Null if
  // none has a share.
  static const Destination* Choose(const Route& route, std::string_view tag, uint32_t lot);

 private:
  struct OwnedRoute {
    std::string owner;
    Route route;
  };
  using Routes = std::shared_ptr<const std::vector<OwnedRoute>>;
  using Map = base::PersistentMap<Routes>;
  // The position of a route in the table.
  struct Place {
    bool any_host = false;
    std::string key;

    auto operator<=>(const Place&) const = default;
  };

  static Place PlaceOf(const std::string& host, const Route& route);
  static const Route* Match(const Routes& routes, std::string_view path);
  Map& MapOf(const Place& place) { return place.any_host ? paths_ : hosts_; }
  void Append(const std::string& owner, RouteList routes);
  void Drop(const std::string& owner);
  // Returns the routes of a host without its port, in any case.
  const Routes* RoutesOf(std::string_view host) const;
  const Route* FindByPath(std::string_view path) const;

  Map hosts_;
  Map paths_;                                                           // of "*", by the segments of their path_prefix
  base::PersistentMap<std::shared_ptr<const std::set<Place>>> owners_;  // the places of each owner's routes
};

}  // namespace inferd::gateway
