#pragma once

#include <memory>

#include "base/status.h"
#include "serving/worker/control/control_socket.h"

namespace inferd::worker {

// On which the server asks a model in a worker process whether it is ready, beside all orders. One thread at a time.
class ReadinessLine final {
 public:
  // By an order on the model's own socket. ControlSocket::Gone(): so is the process. ControlSocket::Late(): it does not
  // reply before the deadline. Another error: why the model cannot be asked.
  static base::Result<std::shared_ptr<ReadinessLine>> Open(ControlSocket& model,
                                                           ControlSocket::Clock::time_point deadline);
  explicit ReadinessLine(ControlSocket socket) : socket_(std::move(socket)) {}

  // Blocks for some seconds at most. UNAVAILABLE: it is not ready, or does not say so in that time, or is gone.
  base::Status Ask();

 private:
  ControlSocket socket_;
  bool asked_ = false;  // and not answered yet: there is one question at a time, however long it takes
};

}  // namespace inferd::worker
