#pragma once

#include <cstddef>
#include <span>

#include "base/buffer.h"
#include "net/body/body.h"

namespace inferd::net::grpc {

// Bytes of a call that are not cut into messages yet. Charged to the budget like bodies. Loop-bound.
class Backlog final {
 public:
  explicit Backlog(BodyPool& bodies) : bodies_(bodies) {}

  // Returns false if the server holds too many bytes.
  bool Append(std::span<const std::byte> bytes);
  bool empty() const { return unread_.empty() && kept_.size() == 0; }
  // Returns some or all of the oldest bytes. They are valid until they are dropped.
  std::span<const std::byte> Front();
  // `count` <= Front().size().
  void Drop(size_t count) { unread_ = unread_.Sub(count, unread_.size() - count); }

 private:
  BodyPool& bodies_;
  base::BufferSlice unread_;
  Body kept_;  // bytes after unread_
};

}  // namespace inferd::net::grpc
