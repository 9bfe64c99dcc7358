#pragma once

#include <array>

#include "base/status.h"

namespace inferd::oip_http {

// The HTTP status of each canonical code, indexed by the code's number.
using StatusTable = std::array<int, 17>;

// The design's table, "One table from status to HTTP".
//                                      OK   CAN  UNK  INV  DEA  NOT  EXI  PER  RES  PRE  ABO  OUT  UNI  INT  UNA  DAT  AUT
inline constexpr StatusTable kStatuses = {200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401};

// Triton's codes, for the personality of that name: what it has no code of its own for is 400 or, if the server is the
// reason, 503.
inline constexpr StatusTable kTritonStatuses = {200, 400, 400, 400, 503, 404, 400, 403, 503,
                                                400, 400, 400, 501, 500, 503, 500, 401};

constexpr int HttpStatus(const StatusTable& table, base::StatusCode code) { return table[static_cast<size_t>(code)]; }

}  // namespace inferd::oip_http
