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

// A body on its way, with what is needed to read it. The bytes are shared with the request, not copied.
struct Payload {
  PayloadKind kind = PayloadKind::kRequest;
  std::string id;       // a request and its response have the same
  std::string subject;  // the request's path
  // As they stood beside the body: Content-Type, Content-Encoding and what else says how it is read.
  std::vector<std::pair<std::string, std::string>> fields;
  std::string traceparent;  // the request's; empty: none
  int64_t wall_ns = 0;      // when it passed
  boost::container::small_vector<base::BufferSlice, 2> body;

  size_t body_bytes() const {
    size_t bytes = 0;
    for (const base::BufferSlice& piece : body) bytes += piece.size();
    return bytes;
  }
};

// Which payloads are logged.
enum class LogMode : uint8_t { kAll, kRequest, kResponse };

constexpr bool Logs(LogMode mode, PayloadKind kind) {
  return mode == LogMode::kAll || (mode == LogMode::kRequest) == (kind == PayloadKind::kRequest);
}

}  // namespace inferd::payloadlog
