#include "base/text/utc_time.h"

#include <cstdio>
#include <ctime>

namespace inferd::base {

std::string UtcTimeText(int64_t wall_ns) {
  const std::time_t seconds = wall_ns / 1'000'000'000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[64];
  const size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text + size, sizeof text - size, ".%06dZ", static_cast<int>(wall_ns / 1000 % 1'000'000));
  return text;
}

}  // namespace inferd::base
