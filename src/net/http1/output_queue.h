#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"

namespace inferd::net::http1 {

// What a connection has still to write. Short texts (heads, chunk sizes) go to one small store that is used again when
// all is written, so that a steady connection allocates nothing. Loop-bound.
class OutputQueue final {
 public:
  void Push(std::string_view text);
  void Push(base::BufferSlice piece);

  // As Session::TakeOutput and Session::OnWritten.
  size_t Take(std::vector<base::BufferSlice>& out, size_t bytes_max);
  void Written(size_t bytes);

  // Pushed and not yet written.
  size_t bytes() const { return bytes_; }
  // Gives the store back. Only when bytes() == 0.
  void Shrink() { store_ = std::string(); }

 private:
  static constexpr size_t kStoreBytes = 4096;

  std::vector<base::BufferSlice> pieces_;
  size_t taken_ = 0;  // of pieces_
  size_t bytes_ = 0;
  std::string store_;  // never grows past its capacity while slices point into it
};

}  // namespace inferd::net::http1
