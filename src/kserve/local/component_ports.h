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

// Loopback ports that each lead to one component, whatever host and path a request names. They serve local processes
// that can be given a host and a port but no path, such as gRPC clients. A port stays open as long as this object. Not
// thread-safe. The loops must outlive it.
class ComponentPorts final {
 public:
  static constexpr size_t kPortsMax = 1'000;

  ComponentPorts(net::LoopGroup& loops, base::Logger& logger) : server_(loops, net::Limits(), nullptr, logger) {}

  // Returns the address of a component's port ("127.0.0.1:41234"). The first call opens the port. `component` must be a
  // unique name. RESOURCE_EXHAUSTED if there are too many ports.
  base::Result<std::string> PlaceOf(const std::string& component);
  // Sets the routes of the component's port. Does nothing if it has no port.
  void SetRoutes(const std::string& component, std::shared_ptr<const gateway::RouteTable> routes);

 private:
  struct Port {
    std::unique_ptr<gateway::Gateway> gateway;
    std::string place;
  };

  std::map<std::string, Port> ports_;
  net::Server server_;  // destroyed before the gateways
};

}  // namespace inferd::local
