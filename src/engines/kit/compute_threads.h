#pragma once

#include <filesystem>

#include "inferd/engine_abi.h"

namespace inferd::kit {

// Returns how many threads an execution should use if the configuration does not say: this version's share of the
// server's. Small models, by the size of the file or of everything in the folder, run on the calling thread only:
// handing their operators to other threads costs more than it gains.
int ComputeThreads(const inferd_load& load, const std::filesystem::path& model);

}  // namespace inferd::kit
