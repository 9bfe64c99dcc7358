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

// The error if the server's request bytes have reached their limit (MemoryBudget).
base::Status TooManyBytes();

// The limits and rules for a call's messages.
struct MessageRules {
  uint64_t bytes_max = 0;    // as sent
  bool compression = false;  // the call has a grpc-encoding, other than identity
  // Method::align_at; nullptr if no message has a part to align.
  const std::function<size_t(std::span<const std::byte> beginning)>* align_at = nullptr;
};

// Cuts a call's bytes, which arrive in pieces of any size, into its messages ("Length-Prefixed-Message": a flag, four
// bytes of length, the message). Each message is written once, into a net::Body of its own, which charges it.
// Loop-bound.
class MessageAssembler final {
 public:
  explicit MessageAssembler(const MessageRules& rules) : rules_(rules) {}
  void Begin(BodyPool& bodies) { bodies_ = &bodies; }

  // Takes bytes from the front, to the end of one message at most. Returns nullopt if all bytes were taken and the
  // message is incomplete. RESOURCE_EXHAUSTED if the message is too long (detected before memory is taken), or if the
  // server holds too many bytes. INTERNAL if the prefix is malformed. After an error the assembler is unusable.
  base::Result<std::optional<WireMessage>> Take(std::span<const std::byte>& bytes);

  // Returns the space where a message's next bytes may be put before Take(), which then need not copy them. Empty if
  // there is none.
  std::span<std::byte> Space() { return has_body_ ? body_.Space() : std::span<std::byte>(); }

  // Returns true if a message has begun and is not complete.
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
  uint32_t size_ = 0;   // the message's size, once the prefix is complete
  uint32_t taken_ = 0;  // bytes of it that were taken
  bool has_body_ = false;
  Body body_;
  std::vector<std::byte> beginning_;  // beginning of a message to be aligned, until there is enough of it
};

}  // namespace inferd::net::grpc
