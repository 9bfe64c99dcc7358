#pragma once

#include <span>

#include "config/personality.h"

namespace inferd::config {

// Returns the flags of the TensorRT Inference Server, releases 0.4 to 0.10.
std::span<const PersonalityFlag> TrtserverFlags();

// Reads the flags that set more than one option.
base::Result<CombinedFlags> CombineTrtserverFlags(const GivenFlags& given);

}  // namespace inferd::config
