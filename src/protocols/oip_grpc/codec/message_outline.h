#pragma once

#include <cstddef>
#include <string_view>

namespace inferd::oip_grpc {

// The facts about a ModelInferRequest that need no decoding.
struct MessageOutline {
  std::string_view id;   // a view into the message, UTF-8; empty if none
  size_t raw_bytes = 0;  // of raw_input_contents, which decoding does not copy
};

// Reads the outermost fields only. In a malformed message, the fields before the error count.
MessageOutline ReadOutline(std::string_view message);

}  // namespace inferd::oip_grpc
