#pragma once

#include <cstddef>

#include "base/status.h"
#include "serving/core/request/infer_request.h"

namespace inferd::core {

// The named values that an engine answers beside its outputs.

// The most of one response, and the most bytes of their names and texts together.
inline constexpr size_t kResponseParametersMax = 64;
inline constexpr size_t kResponseParameterBytesMax = size_t{64} << 10;

// Whether a response may have them. INTERNAL, in words that follow "answered": there are more than the limits above
// allow; a name is empty, reserved, stands twice, or it or a text is not UTF-8. Pure.
base::Status CheckResponseParameters(const Parameters& parameters);

// Appends those of `more` whose names `parameters` does not have, as long as there are fewer than
// kResponseParametersMax.
void AddResponseParameters(Parameters& parameters, Parameters&& more);

}  // namespace inferd::core
