#pragma once

#include <filesystem>

#include "inferd/engine_abi.h"

namespace inferd::kit {

// How many threads an execution should keep busy where the configuration does not say: this version's share of the
// server's. Small models, by the bytes of the file or of all that the folder has in it, run on the calling thread
// alone: handing their operators to other threads costs more than it gains.
int ComputeThreads(const inferd_load& load, const std::filesystem::path& model);

}  // namespace inferd::kit
