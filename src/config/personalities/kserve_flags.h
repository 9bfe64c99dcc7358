#pragma once

#include <span>

#include "config/personality.h"

namespace inferd::config {

// Returns the flags of the servers that a KServe ServingRuntime starts: sklearnserver, xgbserver, lgbserver and others.
std::span<const PersonalityFlag> KserveFlags();

base::Result<CombinedFlags> CombineKserveFlags(const GivenFlags& given);

}  // namespace inferd::config
