#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "ctl/text/output.h"

namespace inferd::ctl {

// Returns true if the file contains Kubernetes objects rather than a model: *.yaml, *.yml, or *.json that begins with
// an object with an apiVersion.
bool IsManifest(const std::string& path);

// Reviews the objects of the files together. For each it writes whether it is valid, and its problems with their
// places; for an InferenceService also its runtime, and why the others were not chosen. `runtimes` are files and
// folders with additional runtimes; if empty, those installed with this program. Returns the exit status: 1 if there is
// a problem.
base::Result<int> ValidateManifests(const std::vector<std::string>& files, const std::vector<std::string>& runtimes,
                                    const Output& out);

}  // namespace inferd::ctl
