#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::cache {

// Looks at the bytes of a Redis' replies (RESP2) before hiredis does, which makes room for what a reply announces: an
// array of two thousand million elements, in twelve bytes. What AUTH, SELECT, PING, GET and SET are answered with is a
// line, or one value. A connection that brings anything else, or more than that, is of no use. Used by one thread.
class ReplyBounds final {
 public:
  static constexpr size_t kLineBytesMax = 4096;

  explicit ReplyBounds(size_t value_bytes_max) : value_bytes_max_(value_bytes_max) {}

  // The next bytes, as they come. UNAVAILABLE: they are not what a Redis answers; says why.
  base::Status Take(std::string_view bytes);

 private:
  base::Status TakeLine();

  const size_t value_bytes_max_;
  std::string line_;       // as far as it is there
  size_t value_left_ = 0;  // of a value and the end of line behind it
};

}  // namespace inferd::cache
