#pragma once

#include <cstdint>
#include <string>

namespace inferd::base {

// Nanoseconds since the Unix epoch as RFC 3339 has them, in UTC and microseconds: "2026-01-02T03:04:05.000006Z".
std::string UtcTimeText(int64_t wall_ns);

}  // namespace inferd::base
