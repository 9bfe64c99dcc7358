#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "kserve/kubernetes/access/local_access.h"
#include "kserve/local/access/api_keys.h"
#include "storage/source/environment.h"

namespace inferd::local {

// The folder in which clients of this user look for the kubeconfig and the socket of this controller, and that they are
// written to: the best of kubernetes::LocalFolders that is this user's or can be made, and in which a Unix socket's
// path is not too long. Without one it is `state_folder`, where clients do not look by themselves.
std::string MakeClientFolder(const std::string& state_folder, const storage::Environment& environment);

// The text of the kubeconfig: one cluster, user and context, named "inferd-PORT". `place`: "127.0.0.1:8079", of the
// API.
std::string KubeconfigText(const std::string& place, const std::string& socket, const ApiKeys& keys);

// The line with which a shell's user takes the kubeconfig: "export KUBECONFIG=/run/user/1000/inferd/...", quoted if it
// needs to be.
std::string ExportLine(const std::string& kubeconfig);

// The kubeconfig of a running controller. Owned by the controller. Not thread-safe.
class KubeconfigFile final {
 public:
  KubeconfigFile() = default;
  ~KubeconfigFile();
  KubeconfigFile(const KubeconfigFile&) = delete;
  KubeconfigFile& operator=(const KubeconfigFile&) = delete;

  // Writes it, with mode 0600. `temporary`: it goes with this object, since no controller will accept its token again.
  // UNAVAILABLE: it cannot be written.
  base::Status Write(const std::string& path, const std::string& text, bool temporary);

 private:
  std::string removed_;  // empty: none
};

}  // namespace inferd::local
