#pragma once

#include <span>
#include <string>

namespace inferd::rest {

// {"models":["a","b"]}, as KServe's servers list them.
std::string ModelNamesJson(std::span<const std::string> names);

}  // namespace inferd::rest
