#pragma once

#include <cstddef>
#include <span>

#include "base/buffer.h"
#include "net/body/body.h"

namespace inferd::net::grpc {

// Bytes of a call that wait to be cut into messages. Charged to the budget as bodies are. Loop-bound.
class Backlog final {
 public:
  explicit Backlog(BodyPool& bodies) : bodies_(bodies) {}

  // False: the server holds too many bytes.
  bool Append(std::span<const std::byte> bytes);
  bool empty() const { return unread_.empty() && kept_.size() == 0; }
  // The oldest bytes, some or all; valid until they are dropped.
  std::span<const std::byte> Front();
  // `count` <= Front().size().
  void Drop(size_t count) { unread_ = unread_.Sub(count, unread_.size() - count); }

 private:
  BodyPool& bodies_;
  base::BufferSlice unread_;
  Body kept_;  // behind unread_
};

}  // namespace inferd::net::grpc
