#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gateway/backend.h"
#include "gateway/routed_call.h"

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

// What hosts there are, and where their requests go. Immutable once it is in use: a change is another table.
class RouteTable final {
 public:
  // Routes of a host are tried in the order in which they were added. `host`: as requests name it, without a port and
  // in small letters; "*": those that no other host has.
  void Add(std::string host, Route route);

  // Null: none. `host` may have a port; `path`: without its query.
  const Route* Find(std::string_view host, std::string_view path) const;
  bool HasHost(std::string_view host) const;
  // Whether there is a route for just that host, as it was added.
  bool HasOwnHost(std::string_view host) const { return hosts_.find(host) != hosts_.end(); }

  // Which of the destinations a request goes to: that of the tag, else by lot: `lot` below 100. Null: none has a share.
  static const Destination* Choose(const Route& route, std::string_view tag, uint32_t lot);

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  const std::vector<Route>* RoutesOf(std::string_view host) const;

  std::unordered_map<std::string, std::vector<Route>, Hash, std::equal_to<>> hosts_;
};

}  // namespace inferd::gateway
