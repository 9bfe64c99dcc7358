#pragma once

#include <span>

#include "config/personality.h"

namespace inferd::config {

// Flags of the servers that a ServingRuntime of KServe starts: sklearnserver, xgbserver, lgbserver and the others.
std::span<const PersonalityFlag> KserveFlags();

base::Result<CombinedFlags> CombineKserveFlags(const GivenFlags& given);

}  // namespace inferd::config
