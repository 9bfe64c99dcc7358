#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "net/body/body.h"

namespace inferd::net::grpc {

// One message as it was sent.
struct WireMessage {
  base::BufferSlice bytes;
  bool compressed = false;
};

// The server holds as many bytes of requests as it may (MemoryBudget).
base::Status TooManyBytes();

// What a call's messages must keep to.
struct MessageRules {
  uint64_t bytes_max = 0;    // as sent
  bool compression = false;  // the call has a grpc-encoding, other than identity
  // Method::align_at; nullptr: no message has a part to align.
  const std::function<size_t(std::span<const std::byte> beginning)>* align_at = nullptr;
};

// Cuts a call's bytes, which come in any pieces, into its messages ("Length-Prefixed-Message"): a flag, four bytes of
// length, the message. Each is written once, into a net::Body of its own, which charges it. Loop-bound.
class MessageAssembler final {
 public:
  explicit MessageAssembler(const MessageRules& rules) : rules_(rules) {}
  void Begin(BodyPool& bodies) { bodies_ = &bodies; }

  // Takes bytes off the front, to the end of one message at most; nullopt: all were taken, and a message is not whole.
  // RESOURCE_EXHAUSTED: too long (before memory is taken for it), or the server holds too many bytes. INTERNAL: a bad
  // prefix. After an error it is of no more use.
  base::Result<std::optional<WireMessage>> Take(std::span<const std::byte>& bytes);

  // Where the next bytes of a message may be put before Take, which then need not copy them; empty: nowhere.
  std::span<std::byte> Space() { return has_body_ ? body_.Space() : std::span<std::byte>(); }

  // Whether it stands inside a message.
  bool inside() const { return prefix_size_ > 0; }

 private:
  static constexpr size_t kPrefixBytes = 5;

  base::Status TakePrefix(std::span<const std::byte>& bytes);
  base::Status TakeBytes(std::span<const std::byte>& bytes);
  base::Status MakeBody(std::span<const std::byte> beginning);
  base::Status Append(std::span<const std::byte> bytes);

  MessageRules rules_;
  BodyPool* bodies_ = nullptr;
  std::array<std::byte, kPrefixBytes> prefix_;
  size_t prefix_size_ = 0;
  uint32_t size_ = 0;   // of the message, once the prefix is whole
  uint32_t taken_ = 0;  // of it
  bool has_body_ = false;
  Body body_;
  std::vector<std::byte> beginning_;  // of a message to be aligned, until there is enough of it
};

}  // namespace inferd::net::grpc
