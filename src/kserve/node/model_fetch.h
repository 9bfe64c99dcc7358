#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/pods/storage_initializer.h"
#include "kserve/node/pod_data.h"

namespace inferd::node {

// What a pod's model is brought with, as its namespace is now. From any thread.
using FindInitializer = std::function<base::Result<model::StorageInitializer>(const model::ResolvedPod&)>;

struct FetchSources {
  FindInitializer initializer;  // null: the pod's own URI, without credentials of its own
  FindData data;                // Secrets that its variables and volumes refer to
  std::string claims = {};      // the folder that has a folder for each claim of the pod's namespace
};

// Brings the pod's model to `folder`, and makes that a repository where the pod's runtime takes one (MakeRepository).
// Its variables go before those of this process; files of secrets are in FOLDER.secrets meanwhile, for this user alone.
// Errors are the initializer's, storage::Download's, and those of variables and volumes that refer to what is not
// there. Any thread.
base::Status FetchModel(const model::ResolvedPod& pod, const std::string& folder, const FetchSources& sources,
                        const std::stop_token& stop);

// Returns the path of what a claim's URI names, pvc://CLAIM/PATH, in `claims`, the folder that has a folder for each
// claim of the pod's namespace. Any other URI stays as it is. INVALID_ARGUMENT: the URI names no claim, or its path
// leads out of the claim. NOT_FOUND: there is no such claim, or nothing at its path or at a path of this machine.
// Thread-safe.
base::Result<std::string> ResolveHere(const std::string& uri, const std::string& claims);

// Returns true if the URI names a folder or a file of this machine: a path, file:// or pvc://.
bool IsOfThisMachine(const std::string& uri);

// The URI of the pod's model, which may have a placeholder for what a storage specification says; empty: it has none.
std::string ModelUriOf(const model::ResolvedPod& pod);

}  // namespace inferd::node
