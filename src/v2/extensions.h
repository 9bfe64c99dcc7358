#pragma once

#include <span>
#include <string_view>

namespace inferd::v2 {

// The `extensions` of server metadata: what this server answers beyond Predict V2, in Triton's spelling.
// `shared_memory`: clients' regions among it.
std::span<const std::string_view> Extensions(bool shared_memory);

}  // namespace inferd::v2
