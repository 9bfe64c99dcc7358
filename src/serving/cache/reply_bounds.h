#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::cache {

// Checks the bytes of a Redis' replies (RESP2) before hiredis gets them. hiredis allocates what a reply announces:
// twelve bytes can announce an array of two thousand million elements. The replies to AUTH, SELECT, PING, GET and SET
// are a line or one value. Anything else, or anything longer, makes the connection unusable. Used by one thread.
class ReplyBounds final {
 public:
  static constexpr size_t kLineBytesMax = 4096;

  explicit ReplyBounds(size_t value_bytes_max) : value_bytes_max_(value_bytes_max) {}

  // Checks the next bytes. UNAVAILABLE, with the reason, if a Redis does not reply so.
  base::Status Take(std::string_view bytes);

 private:
  base::Status TakeLine();

  const size_t value_bytes_max_;
  std::string line_;       // the part received so far
  size_t value_left_ = 0;  // of a value and its line end
};

}  // namespace inferd::cache
