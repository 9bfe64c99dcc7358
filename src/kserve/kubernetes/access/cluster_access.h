#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "storage/source/environment.h"

namespace inferd::kubernetes {

// A credential plug-in: a program that prints credentials (client.authentication.k8s.io).
struct ExecPlugin {
  std::string api_version{};  // of the document that it must print
  std::string command{};      // a path, or a name to look up in PATH
  std::vector<std::string> arguments{};
  std::vector<std::pair<std::string, std::string>> environment{};
  bool provide_cluster_info = false;
  std::string install_hint{};
};

// The credentials of a client. If both a value and its file are set, the value is used. All fields but the names are
// secret, and appear in no message.
struct UserAccess {
  std::string token{};
  std::string token_file{};
  std::string username{};
  std::string password{};
  std::string certificate{};  // PEM
  std::string certificate_file{};
  std::string private_key{};  // PEM
  std::string private_key_file{};
  std::optional<ExecPlugin> exec{};
};

// The address and credentials for an API server. A value type.
struct ClusterAccess {
  std::string server{};       // "https://10.0.0.1:6443", optionally with a path; without a trailing '/'
  std::string authorities{};  // PEM
  std::string authorities_file{};
  std::string server_name{};     // expected in the server's certificate; if empty, the URL's host
  bool insecure = false;         // do not check the server's certificate
  std::string namespace_name{};  // the default namespace of objects; empty if none
  // The Unix socket of an inferd-controller on this machine, which needs no credentials. Empty for other servers.
  std::string unix_socket{};
  UserAccess user{};
};

// The source of the access.
struct AccessOptions {
  std::string kubeconfig{};  // a file; if empty, the search below is used
  std::string context{};     // a context of that file; if empty, its current one
  std::string pod_files = "/var/run/secrets/kubernetes.io/serviceaccount";
};

// Finds the access of this program, in the order of controller-runtime: the given file, the files of $KUBECONFIG, the
// service account of this pod, $HOME/.kube/config. NOT_FOUND if there is none. INVALID_ARGUMENT if a file is invalid.
// Thread-safe, like FindPodAccess.
base::Result<ClusterAccess> FindClusterAccess(const AccessOptions& options, const storage::Environment& environment);

// Returns the access of a pod's service account. Token and authorities are returned as file names, because Kubernetes
// rotates these files. NOT_FOUND if this program runs in no pod.
base::Result<ClusterAccess> FindPodAccess(const std::string& pod_files, const storage::Environment& environment);

}  // namespace inferd::kubernetes
