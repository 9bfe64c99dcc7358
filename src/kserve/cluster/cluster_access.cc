#include "kserve/cluster/cluster_access.h"

#include "storage/source/environment.h"

namespace inferd::cluster {

namespace {

constexpr double kRequestsPerSecond = 100;
constexpr int kRequestsBurst = 200;

}  // namespace

base::Result<kubernetes::ClusterAccess> FindAccess(const ClusterOptions& options) {
  return kubernetes::FindClusterAccess({.kubeconfig = options.kubeconfig, .context = options.context},
                                       storage::ProcessEnvironment());
}

std::string ControllerNamespace(const ClusterOptions& options) {
  if (!options.controller_namespace.empty()) return options.controller_namespace;
  const std::string of_pod = storage::ProcessEnvironment()("POD_NAMESPACE");
  return of_pod.empty() ? "kserve" : of_pod;
}

kubernetes::SenderOptions SendingOptions() {
  return {.requests_per_second = kRequestsPerSecond, .burst = kRequestsBurst, .user_agent = "inferd-controller"};
}

}  // namespace inferd::cluster
