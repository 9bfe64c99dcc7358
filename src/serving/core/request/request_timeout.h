#pragma once

#include "base/status.h"

namespace inferd::core {

// Returns the error for a request whose deadline passed before it was answered, wherever it was then. Triton's text.
inline base::Status RequestTimeout() { return base::DeadlineExceeded("Request timeout expired"); }

}  // namespace inferd::core
