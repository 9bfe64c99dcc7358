#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/logging.h"
#include "base/status.h"
#include "kserve/gateway/gateway.h"
#include "kserve/gateway/route_table.h"
#include "net/loop_group.h"
#include "net/server.h"

namespace inferd::local {

// Ports of the loopback that lead to one component each, whatever host and path a request names: for processes of this
// machine that can be told a host and a port, and not a path, as clients of gRPC. A port stays open as long as this
// object. Not thread-safe; the loops outlive it.
class ComponentPorts final {
 public:
  static constexpr size_t kPortsMax = 1'000;

  ComponentPorts(net::LoopGroup& loops, base::Logger& logger) : server_(loops, net::Limits(), nullptr, logger) {}

  // Where a component is asked ("127.0.0.1:41234"), by a name that no other one has; opened with the first call.
  // RESOURCE_EXHAUSTED: there are too many.
  base::Result<std::string> PlaceOf(const std::string& component);
  // Requests at its port go by that table from then on; nothing, where it has none.
  void SetRoutes(const std::string& component, std::shared_ptr<const gateway::RouteTable> routes);

 private:
  struct Port {
    std::unique_ptr<gateway::Gateway> gateway;
    std::string place;
  };

  std::map<std::string, Port> ports_;
  net::Server server_;  // which goes before the gateways
};

}  // namespace inferd::local
