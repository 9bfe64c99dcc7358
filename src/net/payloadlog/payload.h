#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.h"

namespace inferd::payloadlog {

enum class PayloadKind : uint8_t { kRequest, kResponse };

// A body in transit, with the facts needed to read it. The bytes are shared with the request, not copied.
struct Payload {
  PayloadKind kind = PayloadKind::kRequest;
  std::string id;       // the same for a request and its response
  std::string subject;  // the request's path
  // The headers of the body: Content-Type, Content-Encoding and others that say how it is read.
  std::vector<std::pair<std::string, std::string>> fields;
  std::string traceparent;  // the request's; empty if none
  int64_t wall_ns = 0;      // time at which it passed
  boost::container::small_vector<base::BufferSlice, 2> body;

  size_t body_bytes() const {
    size_t bytes = 0;
    for (const base::BufferSlice& piece : body) bytes += piece.size();
    return bytes;
  }
};

// The payloads that are logged.
enum class LogMode : uint8_t { kAll, kRequest, kResponse };

constexpr bool Logs(LogMode mode, PayloadKind kind) {
  return mode == LogMode::kAll || (mode == LogMode::kRequest) == (kind == PayloadKind::kRequest);
}

}  // namespace inferd::payloadlog
