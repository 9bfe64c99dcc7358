#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "base/system/file_descriptor.h"

namespace inferd::python {

// A socket beside the one for messages, on which a worker is asked for its model's readiness. A thread of the worker's
// answers there, whatever the model executes meanwhile. There is one question at a time, however long the answer takes.
// Thread-safe.
class ReadyLine final {
 public:
  // Returns our end and the worker's end. RESOURCE_EXHAUSTED if the system cannot make sockets.
  static base::Result<std::pair<std::shared_ptr<ReadyLine>, base::FileDescriptor>> Create();
  explicit ReadyLine(base::FileDescriptor socket) : socket_(std::move(socket)) {}

  // Sets the worker's process. Its end also ends the line, as processes that it started may hold the socket.
  void Watch(base::FileDescriptor process);

  enum class Said { kReady, kNotReady, kNothing, kEnded };
  // Asks, unless an answer is still outstanding.
  void Ask();
  // Returns the answer, with the reason if not ready. kNothing if it does not come in time.
  std::pair<Said, std::string> Await(std::chrono::steady_clock::time_point until);

 private:
  base::Mutex mutex_;
  const base::FileDescriptor socket_;
  base::FileDescriptor process_ GUARDED_BY(mutex_);
  bool asked_ GUARDED_BY(mutex_) = false;
};

}  // namespace inferd::python
