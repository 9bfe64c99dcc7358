#pragma once

#include <span>
#include <string_view>

namespace inferd::v2 {

// The `extensions` of server metadata: what this server answers beyond Predict V2, in Triton's spelling.
// `shared_memory`: clients' regions among it.
std::span<const std::string_view> Extensions(bool shared_memory);
// Those that Triton's server names, whatever it was told to serve, in its order.
std::span<const std::string_view> TritonExtensions();

// What Triton says of calls that name a repository.
inline constexpr std::string_view kNoRepositoryNames = "'repository_name' specification is not supported";

}  // namespace inferd::v2
