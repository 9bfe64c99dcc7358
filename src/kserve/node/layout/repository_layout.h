#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::node {

// Returns true if the pod's runtime treats its model's folder as a model repository, as kserve-tritonserver does: it
// has an argument --model-store=/mnt/models, or --model-repository.
bool TakesRepository(const model::ResolvedPod& pod);

// Turns the folder of a fetched model into a model repository: NAME/VERSION/FILE. A folder that is already a repository
// stays. Files of one model become NAME/1/FILE, a single file NAME/1/model.EXTENSION, a SavedModel
// NAME/1/model.savedmodel, and versions of one model NAME/VERSION. NOT_FOUND if it has no model. The message has `uri`
// and the expected layout.
base::Status MakeRepository(const std::filesystem::path& folder, const std::string& name, const std::string& uri);

}  // namespace inferd::node
