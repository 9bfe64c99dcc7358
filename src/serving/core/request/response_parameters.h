#pragma once

#include <cstddef>

#include "base/status.h"
#include "serving/core/request/infer_request.h"

namespace inferd::core {

// Named values in an engine's response, besides its outputs.

// The maximum number per response, and the maximum bytes of all their names and texts together.
inline constexpr size_t kResponseParametersMax = 64;
inline constexpr size_t kResponseParameterBytesMax = size_t{64} << 10;

// Checks the parameters of a response. INTERNAL, in words that follow "answered", if they exceed the limits above, a
// name is empty, reserved or repeated, or a name or a text is not UTF-8. A pure function.
base::Status CheckResponseParameters(const Parameters& parameters);

// Appends those of `more` with names that `parameters` does not have, up to kResponseParametersMax in total.
void AddResponseParameters(Parameters& parameters, Parameters&& more);

}  // namespace inferd::core
