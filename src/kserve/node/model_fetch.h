#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/pods/storage_initializer.h"
#include "kserve/node/pod_data.h"

namespace inferd::node {

// Finds the current storage initializer for a pod's model, with credentials from the pod's namespace. Called on any
// thread.
using FindInitializer = std::function<base::Result<model::StorageInitializer>(const model::ResolvedPod&)>;

struct FetchSources {
  FindInitializer initializer;  // if null, the pod's own URI is used, without further credentials
  FindData data;                // Secrets for its variables and volumes
  std::string claims = {};      // folder with one folder for each claim of the namespace
};

// Fetches the pod's model to `folder`. If the pod's runtime takes a repository, turns the folder into one (see
// MakeRepository). The initializer's variables win over those of this process. Files of secrets are in FOLDER.secrets
// during the fetch, readable by this user only. Errors are those of the initializer and of storage::Download, and those
// of variables and volumes that refer to missing objects. Thread-safe.
base::Status FetchModel(const model::ResolvedPod& pod, const std::string& folder, const FetchSources& sources,
                        const std::stop_token& stop);

// Returns the local path for a claim's URI, pvc://CLAIM/PATH. `claims` is the folder with one folder for each claim of
// the pod's namespace. Other URIs are returned unchanged. INVALID_ARGUMENT if the URI names no claim, or if its path
// leads out of the claim. NOT_FOUND if the claim, its path or a local path does not exist. Thread-safe.
base::Result<std::string> ResolveHere(const std::string& uri, const std::string& claims);

// Returns true if the URI names a local folder or file: a path, file:// or pvc://.
bool IsOfThisMachine(const std::string& uri);

// Returns the URI of the pod's model. Empty if it has none. With a storage specification, the URI may have a
// placeholder.
std::string ModelUriOf(const model::ResolvedPod& pod);

}  // namespace inferd::node
