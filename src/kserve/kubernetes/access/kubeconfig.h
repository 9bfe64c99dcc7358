#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kserve/kubernetes/access/cluster_access.h"

namespace inferd::kubernetes {

// The extension of a kubeconfig's cluster by which an inferd-controller of this machine states its Unix socket:
// {name: kLocalExtension, extension: {kSocketField: PATH}}. Other clients leave it alone.
inline constexpr std::string_view kLocalExtension = "serving.inferd.io/local";
inline constexpr std::string_view kSocketField = "unixSocket";

// Files that say how clusters are reached, as kubectl has them: clusters and users by name, and contexts, each of which
// names one of both.
struct Kubeconfig {
  struct Context {
    std::string cluster;
    std::string user;
    std::string namespace_name;
  };

  std::map<std::string, ClusterAccess> clusters;  // without users
  std::map<std::string, UserAccess> users;
  std::map<std::string, Context> contexts;
  std::string current_context;
};

// Reads the text of one file, of at most 4 MiB. `path`: of the file, which relative paths in it go out from.
// INVALID_ARGUMENT: "PATH: clusters[0].cluster.server: must be a string, not a number"; what is not built here is
// refused by its name: proxy-url, auth-provider, impersonation. Thread-safe, as are the others.
base::Result<Kubeconfig> ReadKubeconfig(std::string_view text, const std::string& path);

// Reads files and puts them together: of what several say, the first counts. Those that are not there are left out, but
// one of them must be. NOT_FOUND, or what ReadKubeconfig says.
base::Result<Kubeconfig> ReadKubeconfigFiles(const std::vector<std::string>& paths);

// `context` empty: the current one. INVALID_ARGUMENT names what is missing.
base::Result<ClusterAccess> ResolveContext(const Kubeconfig& config, const std::string& context);

}  // namespace inferd::kubernetes
