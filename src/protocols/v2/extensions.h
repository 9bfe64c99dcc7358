#pragma once

#include <span>
#include <string_view>

namespace inferd::v2 {

// Returns the `extensions` of server metadata: the server's features beyond Predict V2, in Triton's spelling.
// `shared_memory` includes clients' regions.
std::span<const std::string_view> Extensions(bool shared_memory);
// Returns the extensions that Triton's server names, whatever its configuration, in its order.
std::span<const std::string_view> TritonExtensions();

// Triton's error for calls that name a repository.
inline constexpr std::string_view kNoRepositoryNames = "'repository_name' specification is not supported";

}  // namespace inferd::v2
