#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "storage/source/environment.h"

namespace inferd::kubernetes {

// A program that says which credentials to use (client.authentication.k8s.io).
struct ExecPlugin {
  std::string api_version{};  // of the document that it is to print
  std::string command{};      // a path, or a name to be looked for in PATH
  std::vector<std::string> arguments{};
  std::vector<std::pair<std::string, std::string>> environment{};
  bool provide_cluster_info = false;
  std::string install_hint{};
};

// What a client shows of itself. Of a value and its file, the value counts. All but the names are secrets: they are in
// no message.
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

// How an API server is reached. A value.
struct ClusterAccess {
  std::string server{};       // "https://10.0.0.1:6443", perhaps with a path; without a trailing '/'
  std::string authorities{};  // PEM
  std::string authorities_file{};
  std::string server_name{};     // that its certificate is for; empty: the URL's
  bool insecure = false;         // do not check its certificate
  std::string namespace_name{};  // of objects where none is said; empty: none
  // The Unix socket of an inferd-controller of this machine, where no credentials are asked; empty: another server.
  std::string unix_socket{};
  UserAccess user{};
};

// Where the access is read from.
struct AccessOptions {
  std::string kubeconfig{};  // a file; empty: as below
  std::string context{};     // of it; empty: the current one
  std::string pod_files = "/var/run/secrets/kubernetes.io/serviceaccount";
};

// The access that a program is given, as controller-runtime looks for it: the file that is named, those of $KUBECONFIG,
// the service account of the pod that it runs in, $HOME/.kube/config. NOT_FOUND: there is none; INVALID_ARGUMENT: what
// is wrong with a file. Thread-safe, as are the others.
base::Result<ClusterAccess> FindClusterAccess(const AccessOptions& options, const storage::Environment& environment);

// That of a pod's service account; its token and authorities stay files, which Kubernetes rotates. NOT_FOUND: this is
// no pod.
base::Result<ClusterAccess> FindPodAccess(const std::string& pod_files, const storage::Environment& environment);

}  // namespace inferd::kubernetes
