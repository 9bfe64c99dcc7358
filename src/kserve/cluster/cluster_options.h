#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "kserve/cluster/guard/pace.h"

namespace inferd::cluster {

// The options of `inferd-controller --cluster`, named like its flags.
struct ClusterOptions {
  std::string kubeconfig{};
  std::string context{};
  std::vector<std::string> namespaces{};  // to reconcile; all if empty
  std::string controller_namespace{};     // of the configuration and the lease; if empty, $POD_NAMESPACE, then "kserve"
  bool leader_elect = false;
  uint16_t health_port = 8081;   // disabled if 0
  uint16_t metrics_port = 8080;  // disabled if 0
  uint16_t webhook_port = 9443;  // disabled if 0
  std::string webhook_name{};    // of the webhook configurations; no webhooks if empty
  // Interval of the discovery of APIs and of inferd-gateway. At least 1 s.
  std::chrono::seconds discover_every{60};
  // Limits of changes that start new pods or delete objects. They apply per cause, to services and to graphs
  // separately.
  PaceLimits pace{};
  bool diff = false;  // prints the changes that the controller would make, and exits
  std::vector<std::string> files{};
};

}  // namespace inferd::cluster
