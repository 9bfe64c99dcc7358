#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "kserve/kubernetes/access/cluster_access.h"
#include "storage/source/environment.h"

namespace inferd::kubernetes {

// How clients of this user find an inferd-controller that runs on this machine: it leaves a kubeconfig and its Unix
// socket in a folder that both look for, named by the port of its API. The functions are thread-safe.

struct LocalFiles {
  std::string kubeconfig;  // "FOLDER/controller-8079.kubeconfig"
  std::string socket;      // "FOLDER/controller-8079.sock"
};
LocalFiles LocalFilesIn(const std::string& folder, uint16_t port);

// The folders, best first: $XDG_RUNTIME_DIR/inferd, $XDG_STATE_HOME/inferd or $HOME/.local/state/inferd. Those whose
// variable is not set, or is no absolute path, are left out. They need not exist.
std::vector<std::string> LocalFolders(const storage::Environment& environment);

// True if a process listens at the Unix socket, and this one may connect.
bool IsServed(const std::string& socket);

// The access to a controller of this machine, of which `port` is the API's. NOT_FOUND: none has left a kubeconfig.
// INVALID_ARGUMENT: what is wrong with the file.
base::Result<ClusterAccess> FindLocalAccess(uint16_t port,
                                            const storage::Environment& environment = storage::ProcessEnvironment());

// The access to the controller that serves: the one of $KUBECONFIG's current context, if that is of a controller of
// this machine; else the one at `usual_port`; else the only one. NOT_FOUND: none serves. FAILED_PRECONDITION: several
// do, and which one is meant is not known; it names their servers. INVALID_ARGUMENT: what is wrong with a file.
base::Result<ClusterAccess> FindLocalAccessInUse(
    uint16_t usual_port, const storage::Environment& environment = storage::ProcessEnvironment());

}  // namespace inferd::kubernetes
