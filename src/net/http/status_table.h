#pragma once

#include <array>

#include "base/status.h"

namespace inferd::net {

// The HTTP status of each canonical code, indexed by the code's number. Personalities have tables of their own.
using StatusTable = std::array<int, 17>;

// In the order of the codes: OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS
// PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE
// DATA_LOSS UNAUTHENTICATED. The design's table, "One table from status to HTTP".
inline constexpr StatusTable kStatuses = {200, 499, 500, 400, 504, 404, 409, 403, 429,
                                          400, 409, 400, 501, 500, 503, 500, 401};

constexpr int HttpStatus(const StatusTable& table, base::StatusCode code) { return table[static_cast<size_t>(code)]; }

}  // namespace inferd::net
