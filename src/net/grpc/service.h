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

// What takes the messages of one call with a request stream. Owned by the call and destroyed with it: when the call is
// finished, cancelled or past its deadline. Loop-bound. It may use its Responder inside these calls.
class MessageReader {
 public:
  virtual ~MessageReader() = default;
  // One message, uncompressed, in one buffer.
  virtual void OnMessage(base::BufferSlice message) = 0;
  // The client has sent its last one.
  virtual void OnHalfClose() = 0;
};

// One method of one loop; its functions are loop-bound. Exactly one of `unary` and `streaming` is set.
struct Method {
  std::string path;  // "/package.Service/Method"

  // The client sends one message: answered by Responder::Answer, or by Write... and Finish where the response streams.
  // None or several messages are refused before it comes to this.
  std::move_only_function<void(CallContext&& context, base::BufferSlice message, Responder responder)> unary = nullptr;

  // The client sends a stream.
  std::move_only_function<std::unique_ptr<MessageReader>(CallContext&& context, Responder responder)> streaming = nullptr;

  // Asked once per call, before any of its messages is read; an error is the call's status.
  std::function<base::Status(const RequestHead& head)> admit = nullptr;

  // Where a message's bulk starts, given its first bytes (some kilobytes of it, or all): that byte is put at a multiple
  // of base::kBufferAlignment. Large uncompressed messages only.
  std::function<size_t(std::span<const std::byte> beginning)> align_at = nullptr;

  uint64_t message_bytes_max = 0;  // 0: the handler's limit

  // The server is draining: calls that wait for nothing but their client should be finished.
  std::move_only_function<void()> on_drain = nullptr;
};

}  // namespace inferd::net::grpc
