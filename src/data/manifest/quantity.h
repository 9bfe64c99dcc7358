#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace inferd::manifest {

// A Kubernetes quantity: a decimal number with a suffix, "500m" or "2Gi" or "1e3".
struct Quantity {
  // The value in thousandths, rounded up to an integer and clamped to the range.
  int64_t milli = 0;

  // Returns the value, rounded up to an integer.
  int64_t value() const;
};

// Parses a quantity. Suffixes: n u m, none, k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent. INVALID_ARGUMENT, with
// Kubernetes' text, if it is not a quantity. Thread-safe.
base::Result<Quantity> ParseQuantity(std::string_view text);

}  // namespace inferd::manifest
