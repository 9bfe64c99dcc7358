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
  base::FileDescriptor descriptor;  // that came with it, if one did
};

// One end of the stream socket between a server and a worker process: orders, and a reply to each. Its end of file is
// how a worker learns that its server is gone. One thread at a time for each direction; Shutdown() from any.
class ControlSocket final {
 public:
  // What both directions fail with when the other side is gone.
  static base::Status Gone();
  // What Receive() fails with when the deadline has passed.
  static base::Status Late();

  static constexpr size_t kMessageBytesMax = 64 << 20;
  // The longest reply to an order of the server: descriptions of models, or an error.
  static constexpr size_t kReplyBytesMax = 16 << 20;

  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point kForever = Clock::time_point::max();

  explicit ControlSocket(base::FileDescriptor socket) : socket_(std::move(socket)) {}

  // RESOURCE_EXHAUSTED: the system gives none.
  static base::Result<std::pair<ControlSocket, ControlSocket>> MakePair();

  // `descriptor`: goes with it; -1: none. UNAVAILABLE: the other side is gone.
  base::Status Send(std::string_view text, int descriptor = -1);
  // Blocks until the whole message is there, `deadline` at most. Gone(): the other side is gone. Late(): the deadline
  // has passed. INTERNAL: the other side announces more than `bytes_max` bytes.
  base::Result<ControlMessage> Receive(Clock::time_point deadline = kForever, size_t bytes_max = kMessageBytesMax);

  // The same, with a deadline from now on.
  base::Result<ControlMessage> ReceiveWithin(std::chrono::milliseconds patience) {
    return Receive(Clock::now() + patience);
  }

  // Sends no more, and waits for the other side to end its own: whether it has, in so long. On any thread.
  bool AwaitEnd(std::chrono::milliseconds patience);
  // Both sides find the end from here on.
  void Shutdown();
  int descriptor() const { return socket_.get(); }

 private:
  base::FileDescriptor socket_;
};

}  // namespace inferd::worker
