#include "kserve/kubernetes/access/cluster_access.h"

#include <string_view>

#include "base/system/regular_file.h"
#include "kserve/kubernetes/access/kubeconfig.h"

namespace inferd::kubernetes {

namespace {

constexpr size_t kNamespaceBytesMax = 256;

std::vector<std::string> SplitPaths(std::string_view list) {
  std::vector<std::string> paths;
  while (!list.empty()) {
    const size_t end = list.find(':');
    if (end != 0) paths.emplace_back(list.substr(0, end));
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
  return paths;
}

base::Result<ClusterAccess> AccessOfFiles(const std::vector<std::string>& paths, const std::string& context) {
  INFERD_ASSIGN_OR_RETURN(const Kubeconfig config, ReadKubeconfigFiles(paths));
  return ResolveContext(config, context);
}

}  // namespace

base::Result<ClusterAccess> FindPodAccess(const std::string& pod_files, const storage::Environment& environment) {
  const std::string host = environment("KUBERNETES_SERVICE_HOST");
  const std::string port = environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return std::unexpected(base::NotFound("this is no pod: KUBERNETES_SERVICE_HOST and _PORT are not set"));
  }
  ClusterAccess access;
  access.server = "https://" + (host.contains(':') ? "[" + host + "]" : host) + ":" + port;
  access.authorities_file = pod_files + "/ca.crt";
  access.user.token_file = pod_files + "/token";
  if (auto name = base::ReadRegularFile(pod_files + "/namespace", kNamespaceBytesMax); name.has_value()) {
    access.namespace_name = name->substr(0, name->find_last_not_of(" \r\n") + 1);
  }
  return access;
}

base::Result<ClusterAccess> FindClusterAccess(const AccessOptions& options, const storage::Environment& environment) {
  if (!options.kubeconfig.empty()) return AccessOfFiles({options.kubeconfig}, options.context);
  if (const auto paths = SplitPaths(environment("KUBECONFIG")); !paths.empty()) {
    return AccessOfFiles(paths, options.context);
  }
  if (!environment("KUBERNETES_SERVICE_HOST").empty()) return FindPodAccess(options.pod_files, environment);
  const std::string home = environment("HOME");
  if (home.empty()) return std::unexpected(base::NotFound("no kubeconfig is named, and this is no pod"));
  return AccessOfFiles({home + "/.kube/config"}, options.context);
}

}  // namespace inferd::kubernetes
