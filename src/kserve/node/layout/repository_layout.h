#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::node {

// Returns true if the pod's runtime takes the folder of its model for a repository, as kserve-tritonserver does: an
// argument is --model-store=/mnt/models, or --model-repository.
bool TakesRepository(const model::ResolvedPod& pod);

// Makes the folder that a model has been brought to a repository of models: NAME/VERSION/FILE. A folder that is one
// already stays. Files of one model become NAME/1/FILE, a single file NAME/1/model.EXTENSION, a SavedModel
// NAME/1/model.savedmodel, and versions of one model NAME/VERSION. NOT_FOUND: there is no model in it; the text has
// `uri` and the layout.
base::Status MakeRepository(const std::filesystem::path& folder, const std::string& name, const std::string& uri);

}  // namespace inferd::node
