#pragma once

#include <string>

#include "serving/repository/tree/source.h"

namespace inferd::repository {

// Explains why a look at the base path of a named model found no version to serve, and what to do about it.
std::string DescribeNoVersions(const ModelLook& look);

// Lists the versions that the policy names but that do not exist, in TensorFlow Serving's words. Empty if none is
// missing.
std::string DescribeMissingVersions(const ModelLook& look);

}  // namespace inferd::repository
