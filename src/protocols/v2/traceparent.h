#pragma once

#include <string_view>

namespace inferd::v2 {

// Returns a request's `traceparent` (header or metadata) if it is well-formed: 00-<32 hex>-<16 hex>-<2 hex> (W3C Trace
// Context, "traceparent Header"). Empty otherwise.
std::string_view CheckedTraceparent(std::string_view value);

}  // namespace inferd::v2
