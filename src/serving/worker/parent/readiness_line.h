#pragma once

#include <memory>

#include "base/status.h"
#include "serving/worker/control/control_socket.h"

namespace inferd::worker {

// The socket on which the server asks a model in a worker process for its readiness, independently of orders. One
// thread at a time.
class ReadinessLine final {
 public:
  // Opens the line with an order on the model's own socket. ControlSocket::Gone() if the process is gone.
  // ControlSocket::Late() if it does not reply before the deadline. Any other error says why the model cannot be asked.
  static base::Result<std::shared_ptr<ReadinessLine>> Open(ControlSocket& model,
                                                           ControlSocket::Clock::time_point deadline);
  explicit ReadinessLine(ControlSocket socket) : socket_(std::move(socket)) {}

  // Blocks for some seconds at most. UNAVAILABLE if the model is not ready, does not answer in that time, or is gone.
  base::Status Ask();

 private:
  ControlSocket socket_;
  bool asked_ = false;  // a question is open; there is only one at a time
};

}  // namespace inferd::worker
