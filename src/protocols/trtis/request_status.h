#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::trtis {

// RequestStatusCode, numbered as published.
enum class Code : uint8_t {
  kInvalid = 0,
  kSuccess = 1,
  kUnknown = 2,
  kInternal = 3,
  kNotFound = 4,
  kInvalidArg = 5,
  kUnavailable = 6,
  kUnsupported = 7,
};

Code CodeOf(base::StatusCode code);
std::string_view CodeName(Code code);  // "INVALID_ARG"

// A RequestStatus: the result of a request. A view.
struct RequestStatus {
  Code code = Code::kSuccess;
  std::string_view message = {};
  std::string_view server_id = {};  // empty if not stated
  uint64_t request_id = 0;          // 0 if it had none yet
};

// Returns protobuf's text form, on one line of printable ASCII: `code: NOT_FOUND msg: "..." server_id: "inference:0"
// request_id: 7`. A long message is shortened to its beginning.
std::string StatusText(const RequestStatus& status);

// Returns a serialized message, likewise shortened.
std::string StatusMessage(const RequestStatus& status);

}  // namespace inferd::trtis
