#pragma once

#include <set>
#include <string>

#include "serving/core/model_caller.h"

namespace inferd::ensemble {

// Returns the names of everything that a model occupies while it executes: the model itself and the resources of its
// instances; for an ensemble, those of its steps' models.
std::set<std::string> NeedsOf(const core::ModelCaller& models, const core::ModelVersion& version);

}  // namespace inferd::ensemble
