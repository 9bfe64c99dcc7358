#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/status.h"
#include "worker/control_socket.h"
#include "worker/worker_life.h"

namespace inferd::worker {

// One process that runs inferd-worker. Thread-safe, but for what is said below.
class WorkerProcess final {
 public:
  // `title`: what it serves, as the list of processes shows it, and messages. FAILED_PRECONDITION: the program is not
  // there; RESOURCE_EXHAUSTED: the system starts no more. The process ends with the calling thread.
  static base::Result<std::shared_ptr<WorkerProcess>> Start(const std::filesystem::path& program, std::string title);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Sends an order and returns the reply's content, for as long as that takes. UNAVAILABLE: the process is gone. One at
  // a time.
  base::Result<std::string> Order(std::string_view text, int descriptor = -1);

  // Asks it to leave.
  void Dismiss() { socket_.Shutdown(); }
  // Blocks until it has ended, and returns how. By one thread, once.
  std::string WaitForEnd();

  WorkerLife& life() { return life_; }
  pid_t pid() const { return pid_; }

 private:
  WorkerProcess(pid_t pid, base::FileDescriptor handle, ControlSocket socket);

  const pid_t pid_;
  const base::FileDescriptor handle_;
  ControlSocket socket_;
  WorkerLife life_;
  bool waited_for_ = false;
};

}  // namespace inferd::worker
