#pragma once

#include <cstddef>
#include <string_view>

namespace inferd::oip_grpc {

// The facts about a ModelInferRequest that need no decoding.
struct MessageOutline {
  // Views into the message, UTF-8. Empty if none.
  std::string_view model_name;
  std::string_view model_version;
  std::string_view id;
  size_t raw_bytes = 0;  // of raw_input_contents, which decoding does not copy
};

// Reads the outermost fields only. In a malformed message, the fields before the error count.
MessageOutline ReadOutline(std::string_view message);

}  // namespace inferd::oip_grpc
