#pragma once

#include "base/status.h"

namespace inferd::core {

// What a request is told whose time is up before it was answered, wherever it is by then; in Triton's words.
inline base::Status RequestTimeout() { return base::DeadlineExceeded("Request timeout expired"); }

}  // namespace inferd::core
