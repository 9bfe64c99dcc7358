#pragma once

#include <string_view>

namespace inferd::v2 {

// A request's `traceparent` (header or metadata) if it may be passed on: 00-<32 hex>-<16 hex>-<2 hex> (W3C Trace
// Context, "traceparent Header"); empty otherwise.
std::string_view CheckedTraceparent(std::string_view value);

}  // namespace inferd::v2
