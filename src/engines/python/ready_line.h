#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "base/system/file_descriptor.h"

namespace inferd::python {

// A socket beside that of the messages, on which a worker is asked whether its model is ready: a thread of its own
// answers there, whatever the model executes meanwhile. There is one question at a time, however long the answer takes.
// Thread-safe.
class ReadyLine final {
 public:
  // Ours, and the worker's. RESOURCE_EXHAUSTED: the system gives none.
  static base::Result<std::pair<std::shared_ptr<ReadyLine>, base::FileDescriptor>> Create();
  explicit ReadyLine(base::FileDescriptor socket) : socket_(std::move(socket)) {}

  // The worker is that process, whose end is the end of this, too: what it has started may hold the socket.
  void Watch(base::FileDescriptor process);

  enum class Said { kReady, kNotReady, kNothing, kEnded };
  // Asks, if no answer is to come yet.
  void Ask();
  // The answer, with why not; kNothing: it does not come in time.
  std::pair<Said, std::string> Await(std::chrono::steady_clock::time_point until);

 private:
  base::Mutex mutex_;
  const base::FileDescriptor socket_;
  base::FileDescriptor process_ GUARDED_BY(mutex_);
  bool asked_ GUARDED_BY(mutex_) = false;
};

}  // namespace inferd::python
