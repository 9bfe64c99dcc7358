#pragma once

#include <cstdint>
#include <string>

namespace inferd::base {

// Formats nanoseconds since the Unix epoch per RFC 3339, in UTC with microseconds: "2026-01-02T03:04:05.000006Z".
std::string UtcTimeText(int64_t wall_ns);

}  // namespace inferd::base
