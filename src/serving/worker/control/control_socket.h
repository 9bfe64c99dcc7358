#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/system/file_descriptor.h"

namespace inferd::worker {

struct ControlMessage {
  std::string text;
  base::FileDescriptor descriptor;  // the descriptor that came with it, if any
};

// One end of the stream socket between a server and a worker process, for orders and a reply to each. A worker learns
// from its end of file that its server is gone. One thread at a time per direction; Shutdown() from any thread.
class ControlSocket final {
 public:
  // The error of both directions when the other side is gone.
  static base::Status Gone();
  // The error of Receive() when the deadline has passed.
  static base::Status Late();

  static constexpr size_t kMessageBytesMax = 64 << 20;
  // The limit for a reply to an order of the server: descriptions of models, or an error.
  static constexpr size_t kReplyBytesMax = 16 << 20;

  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point kForever = Clock::time_point::max();

  explicit ControlSocket(base::FileDescriptor socket) : socket_(std::move(socket)) {}

  // RESOURCE_EXHAUSTED if the system cannot make sockets.
  static base::Result<std::pair<ControlSocket, ControlSocket>> MakePair();

  // Sends a message, and with it `descriptor` unless that is -1. UNAVAILABLE if the other side is gone.
  base::Status Send(std::string_view text, int descriptor = -1);
  // Blocks until the whole message has arrived, until `deadline` at most. Gone() if the other side is gone. Late() if
  // the deadline has passed. INTERNAL if the other side announces more than `bytes_max` bytes.
  base::Result<ControlMessage> Receive(Clock::time_point deadline = kForever, size_t bytes_max = kMessageBytesMax);

  // Like Receive(), with a deadline relative to now.
  base::Result<ControlMessage> ReceiveWithin(std::chrono::milliseconds patience) {
    return Receive(Clock::now() + patience);
  }

  // Ends the sending direction and waits for the other side to end its own. Returns true if it has within `patience`.
  // On any thread.
  bool AwaitEnd(std::chrono::milliseconds patience);
  // Ends both directions, for both sides.
  void Shutdown();
  int descriptor() const { return socket_.get(); }

 private:
  base::FileDescriptor socket_;
};

}  // namespace inferd::worker
