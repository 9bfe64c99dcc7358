#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace inferd::ctl {

// Finds the ends of gRPC messages in a stream that arrives in arbitrary pieces. It does not decode the messages.
class MessageCounter {
 public:
  // Consumes bytes from the front of `data`. Returns true at the end of a message; the caller must call again with the
  // rest.
  bool Read(std::string_view& data) {
    while (prefix_bytes_ < kPrefixBytes && !data.empty()) {
      // The compressed flag, then the length in network order.
      if (prefix_bytes_++ > 0) bytes_ = bytes_ << 8 | static_cast<unsigned char>(data.front());
      data.remove_prefix(1);
      left_ = bytes_;
    }
    if (prefix_bytes_ < kPrefixBytes) return false;
    const size_t skipped = std::min<size_t>(left_, data.size());
    data.remove_prefix(skipped);
    left_ -= static_cast<uint32_t>(skipped);
    if (left_ > 0) return false;
    last_bytes_ = std::exchange(bytes_, 0);
    prefix_bytes_ = 0;
    return true;
  }
  // Returns the size of the last complete message, without its prefix.
  size_t last_bytes() const { return last_bytes_; }

 private:
  static constexpr size_t kPrefixBytes = 5;

  size_t prefix_bytes_ = 0;
  uint32_t bytes_ = 0;
  uint32_t left_ = 0;
  size_t last_bytes_ = 0;
};

}  // namespace inferd::ctl
