#pragma once

#include <string>

#include "base/clock.h"
#include "base/text/utc_time.h"

namespace inferd::operators {

// Now, as conditions have it: "2026-11-26T18:00:00Z", without fractions.
inline std::string ConditionTime(const base::Clock& clock) {
  const std::string text = base::UtcTimeText(clock.WallNs());
  return text.substr(0, text.find('.')) + "Z";
}

}  // namespace inferd::operators
