#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "ctl/text/output.h"

namespace inferd::ctl {

// Whether a path is a file of Kubernetes' objects, and not a model: *.yaml and *.yml, and *.json that begins as an
// object with an apiVersion.
bool IsManifest(const std::string& path);

// Reviews the objects of the files together, and writes for each whether it is valid, its problems with their places,
// and which runtime an InferenceService has, and why no other. `runtimes`: files and folders with runtimes that are to
// be known besides; none: those that are installed with this program. The exit status: 1 if there is a problem.
base::Result<int> ValidateManifests(const std::vector<std::string>& files, const std::vector<std::string>& runtimes,
                                    const Output& out);

}  // namespace inferd::ctl
