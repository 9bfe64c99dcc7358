#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace inferd::cache {

// Appends a checksum of the entry, so that bytes which changed on their way or in the store are a miss rather than an
// answer. The checksum is no signature: a client that may write to the store can make one. Pure.
void Seal(std::string& entry);

// The entry; nullopt: it is not what was sealed.
std::optional<std::string_view> Unseal(std::string_view sealed);

}  // namespace inferd::cache
