#pragma once

#include <string_view>

#include "base/status.h"

namespace inferd::torchscript {

// Whether libtorch can compile a file of TorchScript source: its compiler calls itself for each level of an expression
// and of a block, without a limit, and the process ends where its stack does. One pass; thread-safe. INVALID_ARGUMENT:
// says what is nested too deeply, or follows one another too often.
base::Status CheckSourceDepth(std::string_view source);

}  // namespace inferd::torchscript
