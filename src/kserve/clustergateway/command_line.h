#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kserve/clustergateway/cluster_gateway.h"
#include "kserve/clustergateway/router/graph_router.h"

namespace inferd::clustergateway {

inline constexpr int kExitUsage = 2;

struct ParsedCommandLine {
  std::optional<int> exit_status;  // the program is done: --help, --version, or what was wrong was said
  GraphRouterOptions router;
  std::optional<ClusterGatewayOptions> cluster;  // of --cluster; then it is no router
};

// `environment`: a variable's value, empty if it is not set.
ParsedCommandLine ParseCommandLine(int argc, const char* const* argv,
                                   const std::function<std::string(const std::string&)>& environment);

}  // namespace inferd::clustergateway
