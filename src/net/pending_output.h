#pragma once

#include <cstddef>
#include <vector>

#include "base/buffer.h"
#include "net/transport.h"

namespace inferd::net {

// What a connection's session has given out to be written, and the socket has not taken yet. Loop-bound.
class PendingOutput final {
 public:
  bool empty() const { return pieces_.empty(); }
  // To append to, as Session::TakeOutput does.
  std::vector<base::BufferSlice>& pieces() { return pieces_; }

  // Writes what `transport` takes in one call. kOk: that is dropped here. Only when it is not empty().
  Transport::Progress Write(Transport& transport);
  // Copies what lies in memory that it does not own; returns how many bytes are to be written.
  size_t Own();
  void Clear();

 private:
  std::vector<base::BufferSlice> pieces_;  // from begin_ on
  size_t begin_ = 0;
  size_t offset_ = 0;  // written of the first
};

}  // namespace inferd::net
