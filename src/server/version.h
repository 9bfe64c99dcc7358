#pragma once

namespace inferd::server {

// The server's version, as metadata and --version say it.
inline constexpr char kVersion[] = INFERD_VERSION;

}  // namespace inferd::server
