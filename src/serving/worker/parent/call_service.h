#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "base/status.h"
#include "serving/core/calls/server_calls.h"
#include "serving/worker/control/call_message.h"
#include "serving/worker/control/control_socket.h"

namespace inferd::worker {

// The server's end of what the models of one worker process ask: has the server do it, and sends the answers, in a
// thread each way. What is asked is checked as a client's requests are. It ends with its socket; what is under way then
// is cancelled, and its metrics go. A worker that does not read its answers is asked for no more. Thread-safe.
class CallService final {
 public:
  // Completes what is known of an execution in that process: the origin of what is asked in it. FAILED_PRECONDITION: it
  // is over.
  using OriginFinder = std::function<base::Status(core::CallOrigin& origin)>;

  // Called when the worker sends what no worker does; nothing is read from it then. On the service's own thread.
  using OnGarbage = std::function<void(const base::Status& why)>;

  // The most bytes of the messages of all calls that are under way, and of all controls. One alone may have more.
  struct Limits {
    size_t call_bytes;
    size_t control_bytes;
  };
  static constexpr Limits kLimits = {.call_bytes = 128 << 20, .control_bytes = 32 << 20};

  // `server` outlives it. RESOURCE_EXHAUSTED: the system starts no further thread.
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
