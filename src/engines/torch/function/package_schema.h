#pragma once

#include <string_view>

#include "base/status.h"
#include "engines/torch/function/forward_schema.h"

namespace inferd::torchscript {

// The arguments and results of a package's function, by what the package says of how they are put together: the two
// texts of its call specification, which are trees of torch.utils._pytree as JSON (protocol 1). Each leaf is a tensor.
// A leaf is called as its key where it lies in a dict, such as that of keyword arguments, else "INPUT__3" by its
// position. INVALID_ARGUMENT: that is no such text.
base::Result<MethodSchema> ParsePackageSchema(std::string_view in_spec, std::string_view out_spec);

}  // namespace inferd::torchscript
