#pragma once

#include <span>
#include <string>

namespace inferd::rest {

// Returns {"models":["a","b"]}, as in KServe's servers.
std::string ModelNamesJson(std::span<const std::string> names);

}  // namespace inferd::rest
