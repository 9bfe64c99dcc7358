#pragma once

#include <string_view>

#include "base/status.h"

namespace inferd::torchscript {

// Checks that libtorch can compile a file of TorchScript source. Its compiler recurses for each level of an expression
// and of a block, without a limit, and a stack overflow kills the process. Reads the text once. Thread-safe.
// INVALID_ARGUMENT names the construct that is nested too deeply or repeated too often.
base::Status CheckSourceDepth(std::string_view source);

}  // namespace inferd::torchscript
