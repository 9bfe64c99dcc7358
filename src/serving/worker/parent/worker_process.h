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

// One process that runs inferd-worker, which has an engine and the models of it that it is given. Each of these has a
// socket of its own, whose end unloads it: none waits for what another one's engine call is at, but where its turn() is
// needed. Thread-safe, but for what is said below.
class WorkerProcess final {
 public:
  // `title`: what it serves, as the list of processes shows it, and messages. `environment`: its variables,
  // "NAME=VALUE". FAILED_PRECONDITION: the program is not there; RESOURCE_EXHAUSTED: the system starts no more. The
  // process ends with the calling thread.
  static base::Result<std::shared_ptr<WorkerProcess>> Start(const std::filesystem::path& program, std::string title,
                                                            std::vector<std::string> environment);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Has it open the engine, before all else; blocks for `patience` at most. `server` takes what its models ask, and
  // outlives this; null: they can ask nothing. Its pool of pinned memory is counted in `uses`, unless that is null. The
  // engine's error; ControlSocket::Gone(): the process is gone. UNAVAILABLE: it takes longer, and is of no use.
  base::Status OpenEngine(const StartOrder& order, std::chrono::milliseconds patience, core::ServerCalls* server,
                          enginehost::PinnedUses* uses);

  // The number of one more channel to an instance in it.
  uint64_t NextChannel() { return ++channels_; }
  // What executions on that channel are found by, where models call others in them.
  void AddChannel(uint64_t number, const std::shared_ptr<const ChannelCaller>& caller);
  // The socket of one more model, under turn(). ControlSocket::Gone(): the process is gone.
  base::Result<std::shared_ptr<ControlSocket>> OpenModel();

  // Held while the process loads a model or makes an instance: what ends the process meanwhile has one cause.
  base::Mutex& turn() { return turn_; }
  // Whether nothing more is to be begun in it.
  bool ending() const { return abandoned_.load() || life_.lost(); }
  // Ends it: it does not answer any more. The reason is told by how it has ended.
  void Abandon();
  // Blocks until it is lost. UNAVAILABLE: why, and "while " that.
  base::Status LossWhile(std::string_view what);

  // Asks it to leave.
  void Dismiss() { socket_.Shutdown(); }
  // Whether it ends before `deadline`; blocks until then.
  bool EndsBefore(std::chrono::steady_clock::time_point deadline) const { return child_.EndsBefore(deadline); }
  // Blocks until it has ended, and returns how. By one thread, once.
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
  std::shared_ptr<const enginehost::PinnedUse> pinned_use_;  // null: it has no pool of pinned memory
  std::unique_ptr<CallService> calls_;  // null: its models can ask nothing. Last: it uses the others
};

}  // namespace inferd::worker
