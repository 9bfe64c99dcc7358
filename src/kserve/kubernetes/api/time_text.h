#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace inferd::kubernetes {

// Parses an RFC 3339 time to nanoseconds since the Unix epoch: "2026-01-02T03:04:05.5Z", "2026-01-02T03:04:05+01:00".
// Nullopt if it is invalid, or outside of the years 1970 to 2200. base::UtcTimeText is the inverse. Thread-safe.
std::optional<int64_t> ParseTime(std::string_view text);

}  // namespace inferd::kubernetes
