#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kserve/kubernetes/access/cluster_access.h"

namespace inferd::kubernetes {

// An extension of a cluster in a kubeconfig. An inferd-controller of this machine states its Unix socket in it: {name:
// kLocalExtension, extension: {kSocketField: PATH}}. Other clients ignore it.
inline constexpr std::string_view kLocalExtension = "serving.inferd.io/local";
inline constexpr std::string_view kSocketField = "unixSocket";

// The content of kubeconfig files, as kubectl reads them: clusters and users by name, and contexts, each of which names
// a cluster and a user.
struct Kubeconfig {
  struct Context {
    std::string cluster;
    std::string user;
    std::string namespace_name;
  };

  std::map<std::string, ClusterAccess> clusters;  // `user` is not set
  std::map<std::string, UserAccess> users;
  std::map<std::string, Context> contexts;
  std::string current_context;
};

// Parses the text of one file, of at most 4 MiB. `path` is the file's path; relative paths in the file are relative to
// its folder. INVALID_ARGUMENT: "PATH: clusters[0].cluster.server: must be a string, not a number". Unsupported fields
// are refused by name: proxy-url, auth-provider, impersonation. Thread-safe, like the other functions of this file.
base::Result<Kubeconfig> ReadKubeconfig(std::string_view text, const std::string& path);

// Reads and merges several files. If several files define the same name, the first one is used. Missing files are
// ignored, but one must exist. NOT_FOUND if none does; otherwise the errors of ReadKubeconfig.
base::Result<Kubeconfig> ReadKubeconfigFiles(const std::vector<std::string>& paths);

// Returns the access of a context, or of the current one if `context` is empty. INVALID_ARGUMENT names what is missing.
base::Result<ClusterAccess> ResolveContext(const Kubeconfig& config, const std::string& context);

}  // namespace inferd::kubernetes
