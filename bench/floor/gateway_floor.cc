// gateway_floor PORT REPLICA... [LOOPS=N]: the gateway, with one route for every host to these replicas
// ("127.0.0.1:8000"). With `floor` as a replica that does nothing, it shows the cost of the gateway.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/engine_call/require.h"
#include "bench/floor/http_floor.h"
#include "kserve/gateway/gateway.h"

int main(int argc, char** argv) {
  using namespace inferd;  // NOLINT(google-build-using-namespace): a program of one file
  if (argc < 3) {
    std::fprintf(stderr, "usage: gateway_floor PORT REPLICA... [LOOPS=N]\n");
    return 2;
  }
  constexpr std::string_view kLoops = "LOOPS=";
  size_t loops = 0;
  std::vector<gateway::ReplicaPlace> replicas;
  for (int i = 2; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(kLoops)) {
      loops = std::strtoul(argument.data() + kLoops.size(), nullptr, 10);
      continue;
    }
    auto address = net::upstream::Address::Parse(argument);
    bench::Require(address.has_value(), "a replica is IP:PORT");
    replicas.push_back(*std::move(address));
  }
  auto backend = std::make_shared<gateway::Backend>("floor", gateway::BackendOptions{});
  backend->SetReplicas(std::move(replicas));
  gateway::Route route;
  route.destinations.push_back({.backend = std::move(backend)});
  auto routes = std::make_shared<gateway::RouteTable>();
  routes->Add("*", std::move(route));
  gateway::Gateway gateway({});
  gateway.SetRoutes(std::move(routes));
  return bench::ServeFloor(argv[1], loops, gateway.Handlers());
}
