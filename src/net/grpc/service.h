#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "net/grpc/call_context.h"
#include "net/grpc/responder.h"

namespace inferd::net::grpc {

// Receives the messages of one call with a request stream. The call owns it and destroys it when the call is finished,
// cancelled or past its deadline. Loop-bound. It may use its Responder inside these calls.
class MessageReader {
 public:
  virtual ~MessageReader() = default;
  // Receives one message, decompressed, in one buffer.
  virtual void OnMessage(base::BufferSlice message) = 0;
  // Called when the client has sent its last message.
  virtual void OnHalfClose() = 0;
};

// One method on one loop. Its functions are loop-bound. Exactly one of `unary` and `streaming` is set.
struct Method {
  std::string path;  // "/package.Service/Method"

  // Handles a call with one request message. Answer with Responder::Answer(), or with Write() and Finish() for a
  // streamed response. Calls with no message or several are refused before.
  std::move_only_function<void(CallContext&& context, base::BufferSlice message, Responder responder)> unary = nullptr;

  // Handles a call with a stream of request messages.
  std::move_only_function<std::unique_ptr<MessageReader>(CallContext&& context, Responder responder)> streaming =
      nullptr;

  // Called once per call, before any of its messages is read. An error becomes the call's status.
  std::function<base::Status(const RequestHead& head)> admit = nullptr;

  // Returns where a message's bulk data starts, given its first bytes (some kilobytes, or all). That byte is aligned to
  // base::kBufferAlignment. Called for large uncompressed messages only.
  std::function<size_t(std::span<const std::byte> beginning)> align_at = nullptr;

  uint64_t message_bytes_max = 0;  // the handler's limit if 0

  // Called when the server drains: calls that only wait for their client should be finished.
  std::move_only_function<void()> on_drain = nullptr;
};

}  // namespace inferd::net::grpc
