#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"

namespace inferd::net::http1 {

// A connection's output that is not written yet. Short texts (heads, chunk sizes) go to one small store that is reused
// when everything is written, so that a steady connection allocates nothing. Loop-bound.
class OutputQueue final {
 public:
  void Push(std::string_view text);
  void Push(base::BufferSlice piece);

  // As Session::TakeOutput() and Session::OnWritten().
  size_t Take(std::vector<base::BufferSlice>& out, size_t bytes_max);
  void Written(size_t bytes);

  // Returns the bytes that were pushed and not written yet.
  size_t bytes() const { return bytes_; }
  // Frees the store. Call only when bytes() == 0.
  void Shrink() { store_ = std::string(); }

 private:
  static constexpr size_t kStoreBytes = 4096;

  std::vector<base::BufferSlice> pieces_;
  size_t taken_ = 0;  // number of pieces_ taken
  size_t bytes_ = 0;
  std::string store_;  // must not grow past its capacity while slices point into it
};

}  // namespace inferd::net::http1
