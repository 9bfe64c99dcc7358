#pragma once

#include <set>
#include <string>

#include "serving/core/model_caller.h"

namespace inferd::ensemble {

// What a model keeps for itself while it executes: itself, and the resources of its instances; of an ensemble, what its
// steps' models do. In words.
std::set<std::string> NeedsOf(const core::ModelCaller& models, const core::ModelVersion& version);

}  // namespace inferd::ensemble
