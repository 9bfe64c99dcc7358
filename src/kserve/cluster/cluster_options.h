#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace inferd::cluster {

// `inferd-controller --cluster`, by the names of its flags.
struct ClusterOptions {
  std::string kubeconfig{};
  std::string context{};
  std::vector<std::string> namespaces{};  // that are looked after; empty: all
  std::string controller_namespace{};     // of the configuration and the lease; empty: $POD_NAMESPACE, then "kserve"
  bool leader_elect = false;
  uint16_t health_port = 8081;   // 0: none
  uint16_t metrics_port = 8080;  // 0: none
  uint16_t webhook_port = 9443;  // 0: no webhooks
  std::string webhook_name{};    // of the configurations that lead to the webhooks; empty: no webhooks
  // How often it looks which APIs and which gateway the cluster has, from 1 s on.
  std::chrono::seconds discover_every{60};
  bool diff = false;  // says what would change, and ends
  std::vector<std::string> files{};
};

}  // namespace inferd::cluster
