#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace inferd::manifest {

// A Kubernetes quantity: a decimal number with a suffix, "500m" or "2Gi" or "1e3".
struct Quantity {
  // In thousandths, rounded up to a whole one, and held at the ends of the range.
  int64_t milli = 0;

  // Rounded up.
  int64_t value() const;
};

// Suffixes: n u m, none, k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent. INVALID_ARGUMENT, with Kubernetes' text: it is
// none. Thread-safe.
base::Result<Quantity> ParseQuantity(std::string_view text);

}  // namespace inferd::manifest
