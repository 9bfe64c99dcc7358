#pragma once

#include <string>

#include "serving/repository/tree/source.h"

namespace inferd::repository {

// Why a look at the base path of a named model found no version to serve, and what to do about it.
std::string DescribeNoVersions(const ModelLook& look);

// The versions that the policy names and that are not there, in TensorFlow Serving's words; empty: none.
std::string DescribeMissingVersions(const ModelLook& look);

}  // namespace inferd::repository
