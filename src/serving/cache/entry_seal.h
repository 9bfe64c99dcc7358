#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace inferd::cache {

// Appends a checksum to the entry. Bytes that change on the way or in the store then lead to a miss, not to a wrong
// response. The checksum is no signature: a client with write access to the store can forge it. Pure.
void Seal(std::string& entry);

// Returns the entry. Returns nullopt if the checksum does not match.
std::optional<std::string_view> Unseal(std::string_view sealed);

}  // namespace inferd::cache
