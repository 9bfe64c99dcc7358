#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/system/child_process.h"
#include "serving/enginehost/transfer/pinned_use.h"
#include "serving/worker/control/control_socket.h"
#include "serving/worker/control/model_message.h"
#include "serving/worker/parent/call_service.h"
#include "serving/worker/parent/channel_caller.h"
#include "serving/worker/parent/worker_life.h"

namespace inferd::worker {

// One process that runs inferd-worker, with an engine and the models that it gets. Each model has its own socket, whose
// end unloads it. So no model waits for another one's engine call, except where turn() is needed. Thread-safe, except
// as noted below.
class WorkerProcess final {
 public:
  // `title` names what the process serves, in the list of processes and in messages. `environment` has its variables,
  // as "NAME=VALUE". The process ends with the calling thread. FAILED_PRECONDITION if the program is missing.
  // RESOURCE_EXHAUSTED if the system cannot start a process.
  static base::Result<std::shared_ptr<WorkerProcess>> Start(const std::filesystem::path& program, std::string title,
                                                            std::vector<std::string> environment);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Makes the process open the engine. Call first; blocks for `patience` at most. `server` answers its models' requests
  // and must outlive this object; null if they get none. `uses` counts its pool of pinned memory; may be null. Returns
  // the engine's error; ControlSocket::Gone() if the process is gone; UNAVAILABLE if it takes longer, and is then of no
  // use.
  base::Status OpenEngine(const StartOrder& order, std::chrono::milliseconds patience, core::ServerCalls* server,
                          enginehost::PinnedUses* uses);

  // Returns the number for one more channel to an instance in the process.
  uint64_t NextChannel() { return ++channels_; }
  // Registers the caller of a channel, to find the executions in which models call others.
  void AddChannel(uint64_t number, const std::shared_ptr<const ChannelCaller>& caller);
  // Opens the socket for one more model. Hold turn(). ControlSocket::Gone() if the process is gone.
  base::Result<std::shared_ptr<ControlSocket>> OpenModel();

  // Held while the process loads a model or makes an instance, so that an end of the process has one cause.
  base::Mutex& turn() { return turn_; }
  // Returns true if no execution may begin in the process any more.
  bool ending() const { return abandoned_.load() || life_.lost(); }
  // Ends the process, as it does not answer any more. The way in which it ended gives the reason.
  void Abandon();
  // Blocks until the process is lost. Returns UNAVAILABLE with the reason, and "while " `what`.
  base::Status LossWhile(std::string_view what);

  // Asks the process to end.
  void Dismiss() { socket_.Shutdown(); }
  // Waits for the end of the process, until `deadline` at most. Returns true if it has ended.
  bool EndsBefore(std::chrono::steady_clock::time_point deadline) const { return child_.EndsBefore(deadline); }
  // Blocks until the process has ended, and describes how. Call once, on one thread.
  std::string WaitForEnd() { return child_.WaitForEnd(); }

  WorkerLife& life() { return life_; }
  pid_t pid() const { return child_.pid(); }

 private:
  WorkerProcess(base::ChildProcess child, ControlSocket socket);
  base::Status FindOrigin(core::CallOrigin& origin);
  base::Status SendPinnedCounters(uint64_t pool_bytes, enginehost::PinnedUses* uses);

  base::ChildProcess child_;
  ControlSocket socket_;
  base::Mutex turn_;
  std::atomic<bool> abandoned_{false};
  WorkerLife life_;
  std::atomic<uint64_t> channels_{0};
  base::Mutex callers_mutex_;
  std::unordered_map<uint64_t, std::weak_ptr<const ChannelCaller>> callers_ GUARDED_BY(callers_mutex_);
  std::shared_ptr<const enginehost::PinnedUse> pinned_use_;  // null if it has no pool of pinned memory
  std::unique_ptr<CallService> calls_;  // null if its models have no server. Last: it uses the others
};

}  // namespace inferd::worker
