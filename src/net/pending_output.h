#pragma once

#include <cstddef>
#include <vector>

#include "base/buffer.h"
#include "net/transport.h"

namespace inferd::net {

// Output of a connection's session that the socket has not taken yet. Loop-bound.
class PendingOutput final {
 public:
  bool empty() const { return pieces_.empty(); }
  // To be appended to, as Session::TakeOutput() does.
  std::vector<base::BufferSlice>& pieces() { return pieces_; }

  // Writes as much as `transport` takes in one call, and drops it here if kOk. Call only when not empty().
  Transport::Progress Write(Transport& transport);
  // Copies pieces that do not own their memory. Returns the number of bytes to be written.
  size_t Own();
  void Clear();

 private:
  std::vector<base::BufferSlice> pieces_;  // valid from begin_ on
  size_t begin_ = 0;
  size_t offset_ = 0;  // bytes of the first piece that were written
};

}  // namespace inferd::net
