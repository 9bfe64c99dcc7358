#pragma once

#include <span>
#include <string>
#include <string_view>

namespace inferd::base {

// Removal of secrets from texts for messages and logs. Thread-safe.

// Returns a URI without its user and password, and with "?..." for its parameters, which may contain a signature.
std::string ShownUri(std::string_view uri);

// Returns `text`, which another program wrote, with "..." in place of each of `secrets` that this program had sent to
// it: servers repeat requests in their errors. A truncated secret is masked too, from 8 bytes on.
std::string Masked(std::string_view text, std::span<const std::string> secrets);

}  // namespace inferd::base
