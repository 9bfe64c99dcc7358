#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "kserve/kubernetes/access/cluster_access.h"
#include "storage/source/environment.h"

namespace inferd::kubernetes {

// Finds an inferd-controller that the same user runs on this machine. The controller leaves a kubeconfig and its Unix
// socket in a well-known folder, named by the port of its API. The functions are thread-safe.

struct LocalFiles {
  std::string kubeconfig;  // "FOLDER/controller-8079.kubeconfig"
  std::string socket;      // "FOLDER/controller-8079.sock"
};
LocalFiles LocalFilesIn(const std::string& folder, uint16_t port);

// Returns the folders, best first: $XDG_RUNTIME_DIR/inferd, $XDG_STATE_HOME/inferd or $HOME/.local/state/inferd. A
// folder is skipped if its variable is not set or is no absolute path. The folders need not exist.
std::vector<std::string> LocalFolders(const storage::Environment& environment);

// True if a process listens at the Unix socket, and this process may connect.
bool IsServed(const std::string& socket);

// Returns the access to the controller of this machine whose API has the given port. NOT_FOUND if it has left no
// kubeconfig. INVALID_ARGUMENT if the file is invalid.
base::Result<ClusterAccess> FindLocalAccess(uint16_t port,
                                            const storage::Environment& environment = storage::ProcessEnvironment());

// Returns the access to the running controller. Candidates, best first: the current context of $KUBECONFIG, if it
// belongs to a controller of this machine; the controller at `usual_port`; the only running one. NOT_FOUND if none
// runs. FAILED_PRECONDITION if several run, with their servers. INVALID_ARGUMENT if a file is invalid.
base::Result<ClusterAccess> FindLocalAccessInUse(
    uint16_t usual_port, const storage::Environment& environment = storage::ProcessEnvironment());

}  // namespace inferd::kubernetes
