#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "base/status.h"
#include "serving/core/calls/server_calls.h"
#include "serving/worker/control/call_message.h"
#include "serving/worker/control/control_socket.h"

namespace inferd::worker {

// Serves the requests of one worker process's models to the server. Passes them on and sends the answers, on one thread
// per direction. Checks requests like a client's. Ends with its socket: then it cancels calls in flight and closes the
// metrics. While a worker does not read its answers, nothing more is read from it. Thread-safe.
class CallService final {
 public:
  // Completes the origin of a call with what is known of its execution. FAILED_PRECONDITION if the execution has ended.
  using OriginFinder = std::function<base::Status(core::CallOrigin& origin)>;

  // Called when the worker sends an invalid message; then no more is read. Runs on the service's own thread.
  using OnGarbage = std::function<void(const base::Status& why)>;

  // Limits for the bytes of the messages of all calls in flight, and of all controls. A single one may be larger.
  struct Limits {
    size_t call_bytes;
    size_t control_bytes;
  };
  static constexpr Limits kLimits = {.call_bytes = 128 << 20, .control_bytes = 32 << 20};

  // `server` must outlive the object. RESOURCE_EXHAUSTED if the system cannot start a thread.
  static base::Result<std::unique_ptr<CallService>> Start(core::ServerCalls& server, ControlSocket socket,
                                                          OriginFinder find_origin, OnGarbage on_garbage,
                                                          Limits limits = kLimits);
  ~CallService();
  CallService(const CallService&) = delete;
  CallService& operator=(const CallService&) = delete;

 private:
  class State;
  explicit CallService(std::shared_ptr<State> state);

  const std::shared_ptr<State> state_;
  std::thread reader_;
};

}  // namespace inferd::worker
