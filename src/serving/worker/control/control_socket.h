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

  static constexpr size_t kMessageBytesMax = 64 << 20;

  explicit ControlSocket(base::FileDescriptor socket) : socket_(std::move(socket)) {}

  // RESOURCE_EXHAUSTED: the system gives none.
  static base::Result<std::pair<ControlSocket, ControlSocket>> MakePair();

  // `descriptor`: goes with it; -1: none. UNAVAILABLE: the other side is gone.
  base::Status Send(std::string_view text, int descriptor = -1);
  // Blocks. UNAVAILABLE: the other side is gone; INTERNAL: it sends nonsense.
  base::Result<ControlMessage> Receive();

  // The same, and for so long at most: UNAVAILABLE.
  base::Result<ControlMessage> ReceiveWithin(std::chrono::milliseconds patience);

  // Sends no more, and waits for the other side to end its own: whether it has, in so long. On any thread.
  bool AwaitEnd(std::chrono::milliseconds patience);
  // Both sides find the end from here on.
  void Shutdown();
  int descriptor() const { return socket_.get(); }

 private:
  base::FileDescriptor socket_;
};

}  // namespace inferd::worker
