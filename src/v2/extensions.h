#pragma once

#include <span>
#include <string_view>

namespace inferd::v2 {

// The `extensions` of server metadata: what this server answers beyond Predict V2, in Triton's spelling.
std::span<const std::string_view> Extensions();

}  // namespace inferd::v2
