#pragma once

#include <string>

#include "serving/repository/tree/source.h"

namespace inferd::repository {

// Explains why a model has no version to serve, for the person who made its folder: where the model file belongs, or
// what it needs first.
std::string WhyNoVersions(const ModelLook& look);

}  // namespace inferd::repository
