#include "kserve/local/component_ports.h"

#include <utility>

namespace inferd::local {

namespace {

constexpr const char* kLoopbackAddress = "127.0.0.1";

}  // namespace

base::Result<std::string> ComponentPorts::PlaceOf(const std::string& component) {
  if (const auto found = ports_.find(component); found != ports_.end()) return found->second.place;
  if (ports_.size() == kPortsMax) {
    return std::unexpected(
        base::ResourceExhausted("there are " + std::to_string(kPortsMax) + " ports of components already"));
  }
  Port port{.gateway = std::make_unique<gateway::Gateway>(net::upstream::PoolOptions()), .place = {}};
  net::ListenerOptions listener;
  listener.name = component;
  listener.address = kLoopbackAddress;
  listener.port = 0;
  listener.handlers = port.gateway->Handlers();
  INFERD_RETURN_IF_ERROR(server_.Listen(std::move(listener)));
  port.place = std::string(kLoopbackAddress) + ":" + std::to_string(server_.port(component));
  return ports_.emplace(component, std::move(port)).first->second.place;
}

void ComponentPorts::SetRoutes(const std::string& component, std::shared_ptr<const gateway::RouteTable> routes) {
  const auto found = ports_.find(component);
  if (found != ports_.end()) found->second.gateway->SetRoutes(std::move(routes));
}

}  // namespace inferd::local
