#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "kserve/kubernetes/access/local_access.h"
#include "kserve/local/access/api_keys.h"
#include "storage/source/environment.h"

namespace inferd::local {

// Returns the folder for the controller's kubeconfig and socket, where clients of this user look for them. It is the
// best of kubernetes::LocalFolders that belongs to this user or can be created, and that keeps the Unix socket's path
// short enough. Without such a folder, returns `state_folder`, which clients do not search.
std::string MakeClientFolder(const std::string& state_folder, const storage::Environment& environment);

// Returns a kubeconfig with one cluster, user and context, named "inferd-PORT". `place` is the API's address:
// "127.0.0.1:8079".
std::string KubeconfigText(const std::string& place, const std::string& socket, const ApiKeys& keys);

// Returns the shell command that selects the kubeconfig, quoted if needed: "export
// KUBECONFIG=/run/user/1000/inferd/...".
std::string ExportLine(const std::string& kubeconfig);

// The kubeconfig file of a running controller. Owned by the controller. Not thread-safe.
class KubeconfigFile final {
 public:
  KubeconfigFile() = default;
  ~KubeconfigFile();
  KubeconfigFile(const KubeconfigFile&) = delete;
  KubeconfigFile& operator=(const KubeconfigFile&) = delete;

  // Writes the file with mode 0600. If `temporary`, the destructor deletes it, because no later controller will accept
  // its token. UNAVAILABLE if it cannot be written.
  base::Status Write(const std::string& path, const std::string& text, bool temporary);

 private:
  std::string removed_;  // path to delete at the end; empty for none
};

}  // namespace inferd::local
