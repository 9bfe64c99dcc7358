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

// A share of a route's requests.
struct Destination {
  std::shared_ptr<Backend> backend;
  uint32_t percent = 100;  // those of a route add up to 100, but for those that only a tag names: 0
  std::string tag = {};    // requests that name it come here (header Knative-Serving-Tag); empty: none do
};

// Where the requests go whose path begins and ends so.
struct Route {
  std::string path_prefix;   // empty: any
  std::string path_suffix;   // of the path without its query; empty: any
  std::string strip_prefix;  // is taken off the path before it goes on; the path begins with it
  std::vector<Destination> destinations;
  std::shared_ptr<const LocalService> service = nullptr;  // answers in place of destinations
  std::chrono::milliseconds timeout{300'000};             // until the response has begun
  std::chrono::milliseconds wait_timeout{300'000};        // for a replica
};

// A host, as requests name it, without a port and in small letters, and a route of it; "*": all that no table has.
struct HostRoute {
  std::string host;
  Route route;
};
using RouteList = std::vector<HostRoute>;

// What hosts there are, and where their requests go. Immutable once it is in use: a change is another table. A copy
// shares with the table all that is not changed in it, so that a change costs what the routes of one owner do.
//
// Routes of a host are tried in the order of their owners' names, and of one owner in that of its list; but of the host
// "*" those first whose path_prefix has more segments.
class RouteTable final {
 public:
  // Behind those that `owner` has.
  void Add(std::string host, Route route) { Append("", {{std::move(host), std::move(route)}}); }
  // In place of those that `owner` had.
  void Replace(const std::string& owner, RouteList routes);

  // Null: none, or `text` is no host. `text` is a request's Host, which net::ParseHost reads; `path`: without its
  // query.
  const Route* Find(std::string_view text, std::string_view path) const;
  bool HasHost(std::string_view text) const;
  // Whether there is a route for just that host, as it was added.
  bool HasOwnHost(std::string_view host) const { return hosts_.Find(host) != nullptr; }

  // Which of the destinations a request goes to: that of the tag, else by lot: `lot` below 100. Null: none has a share.
  static const Destination* Choose(const Route& route, std::string_view tag, uint32_t lot);

 private:
  struct OwnedRoute {
    std::string owner;
    Route route;
  };
  using Routes = std::shared_ptr<const std::vector<OwnedRoute>>;
  using Map = base::PersistentMap<Routes>;
  // Where a route stands.
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
  // Of a host without its port, in any case.
  const Routes* RoutesOf(std::string_view host) const;
  const Route* FindByPath(std::string_view path) const;

  Map hosts_;
  Map paths_;                                                           // of "*", by the segments of their path_prefix
  base::PersistentMap<std::shared_ptr<const std::set<Place>>> owners_;  // where each has routes
};

}  // namespace inferd::gateway
