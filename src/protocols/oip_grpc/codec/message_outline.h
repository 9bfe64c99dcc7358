#pragma once

#include <cstddef>
#include <string_view>

namespace inferd::oip_grpc {

// What a ModelInferRequest shows without being decoded.
struct MessageOutline {
  std::string_view id;   // a view into the message, UTF-8; empty: none
  size_t raw_bytes = 0;  // of raw_input_contents, which decoding leaves where they are
};

// Looks at the outermost fields alone. Of a message that is malformed, those before the fault count.
MessageOutline ReadOutline(std::string_view message);

}  // namespace inferd::oip_grpc
