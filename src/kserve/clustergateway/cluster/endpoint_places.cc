#include "kserve/clustergateway/cluster/endpoint_places.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "data/manifest/fields.h"
#include "data/manifest/value_path.h"

namespace inferd::clustergateway {

namespace {

using manifest::TextAt;
using manifest::Value;

std::optional<uint16_t> PortOf(const Value& slice, std::string_view name) {
  const Value* const ports = slice.Find("ports");
  if (ports == nullptr) return std::nullopt;
  for (const Value& port : ports->items()) {
    const auto number = manifest::ParseInt64(TextAt(port, {"port"}));
    if (!number.has_value() || *number < 1 || *number > UINT16_MAX) continue;
    if (name.empty() || TextAt(port, {"name"}) == name) return static_cast<uint16_t>(*number);
  }
  return std::nullopt;
}

// Returns an optional condition, or `otherwise` if it is absent.
bool Condition(const Value& endpoint, std::string_view name, bool otherwise) {
  const Value* const value = manifest::FieldAt(endpoint, {"conditions", name});
  return value == nullptr || !value->is(manifest::Kind::kBool) ? otherwise : value->boolean();
}

bool TakesRequests(const Value& endpoint) {
  return Condition(endpoint, "ready", true) && !Condition(endpoint, "terminating", false);
}

std::string Place(const std::string& host, uint16_t port) {
  return (host.contains(':') ? "[" + host + "]:" : host + ":") + std::to_string(port);
}

// Calls `tell` for each pod that accepts requests.
void ForEachPod(std::span<const kubernetes::ObjectPointer> slices,
                const std::function<void(const Value& slice, const Value& endpoint)>& tell) {
  for (const kubernetes::ObjectPointer& slice : slices) {
    const Value* const endpoints = slice->Find("endpoints");
    if (endpoints == nullptr) continue;
    for (const Value& endpoint : endpoints->items()) {
      const Value* const addresses = endpoint.Find("addresses");
      if (addresses == nullptr || addresses->items().empty() || !TakesRequests(endpoint)) continue;
      tell(*slice, endpoint);
    }
  }
}

// Likewise, with the pod's address.
void ForEach(std::span<const kubernetes::ObjectPointer> slices, const std::string& address,
             const std::function<void(const Value& slice, const std::string& host)>& tell) {
  ForEachPod(slices, [&](const Value& slice, const Value& endpoint) {
    tell(slice, address.empty() ? endpoint.Find("addresses")->items().front().text() : address);
  });
}

}  // namespace

std::vector<gateway::ReplicaPlace> ReadyPlaces(std::span<const kubernetes::ObjectPointer> slices,
                                               const std::string& address) {
  std::map<std::string, gateway::ReplicaPlace> places;
  ForEach(slices, address, [&](const Value& slice, const std::string& host) {
    auto port = PortOf(slice, "http");
    if (!port.has_value()) port = PortOf(slice, "");
    if (!port.has_value()) return;
    auto http = net::upstream::Address::Parse(Place(host, *port));
    auto grpc = net::upstream::Address::Parse(Place(host, PortOf(slice, "grpc").value_or(*port)));
    if (!http.has_value() || !grpc.has_value()) return;
    std::string key = http->text();
    places.try_emplace(std::move(key), *std::move(http), *std::move(grpc));
  });
  std::vector<gateway::ReplicaPlace> list;
  for (auto& [key, place] : places) list.push_back(std::move(place));
  return list;
}

std::vector<std::string> ReadyAddresses(std::span<const kubernetes::ObjectPointer> slices, std::string_view port,
                                        const std::string& address) {
  std::set<std::string> found;
  ForEach(slices, address, [&](const Value& slice, const std::string& host) {
    if (const auto number = PortOf(slice, port)) found.insert(Place(host, *number));
  });
  return {found.begin(), found.end()};
}

std::vector<std::string> ReadyPods(std::span<const kubernetes::ObjectPointer> slices) {
  std::set<std::string> names;
  ForEachPod(slices, [&](const Value&, const Value& endpoint) {
    const std::string& name = TextAt(endpoint, {"targetRef", "name"});
    if (!name.empty()) names.insert(name);
  });
  return {names.begin(), names.end()};
}

}  // namespace inferd::clustergateway
