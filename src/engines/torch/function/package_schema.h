#pragma once

#include <string_view>

#include "base/status.h"
#include "engines/torch/function/forward_schema.h"

namespace inferd::torchscript {

// Returns the arguments and results of a package's function, from the two texts of its call specification, which are
// trees of torch.utils._pytree as JSON (protocol 1). Each leaf is a tensor. A leaf in a dict, such as that of keyword
// arguments, is named by its key, others by their position: "INPUT__3". INVALID_ARGUMENT if it is not such a text.
base::Result<MethodSchema> ParsePackageSchema(std::string_view in_spec, std::string_view out_spec);

}  // namespace inferd::torchscript
