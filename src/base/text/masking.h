#pragma once

#include <span>
#include <string>
#include <string_view>

namespace inferd::base {

// Texts without the secrets in them, for messages and logs. Thread-safe.

// Returns a URI without its user and password, and with "?..." for its parameters, which may be a signature.
std::string ShownUri(std::string_view uri);

// Returns `text`, which another program wrote, with "..." for each of `secrets` that this one had sent there: servers
// repeat in their errors what they were asked. A secret that was cut counts too, from its 8th byte on.
std::string Masked(std::string_view text, std::span<const std::string> secrets);

}  // namespace inferd::base
