#pragma once

#include "base/logging.h"

namespace inferd::base {

// Formats of lines as other servers write them, beyond LogFormat's own two: Triton's, which is glog's with the message
// in quotes, and the one that begins with the time of ISO 8601. Both have UTC, the process and a place in a source,
// which is always the same here: what reads such lines looks for something of its form.
inline constexpr LogFormat kTritonLogFormat = static_cast<LogFormat>(2);
inline constexpr LogFormat kTritonIso8601LogFormat = static_cast<LogFormat>(3);

}  // namespace inferd::base
