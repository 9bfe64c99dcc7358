#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kserve/clustergateway/cluster_gateway.h"
#include "kserve/clustergateway/router/graph_router.h"

namespace inferd::clustergateway {

inline constexpr int kExitUsage = 2;

struct ParsedCommandLine {
  std::optional<int> exit_status;  // set if the program must exit: after --help, --version or a reported error
  GraphRouterOptions router;
  std::optional<ClusterGatewayOptions> cluster;  // set with --cluster; otherwise the program is a router
};

// `environment` returns a variable's value. Empty if it is not set.
ParsedCommandLine ParseCommandLine(int argc, const char* const* argv,
                                   const std::function<std::string(const std::string&)>& environment);

}  // namespace inferd::clustergateway
