#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "base/status.h"
#include "base/system/child_process.h"
#include "base/system/file_descriptor.h"
#include "kserve/model/status/replica_status.h"
#include "kserve/modelcalls/model_keeper.h"
#include "kserve/node/process_spec.h"
#include "kserve/node/replica_log.h"
#include "kserve/node/resources/resource_keeper.h"

namespace inferd::node {

using model::ProcessEnd;
using model::ReplicaState;

struct ReplicaOptions {
  std::string name;
  // What is to run: called before each start, on a thread of the replica.
  std::function<base::Result<ProcessSpec>(const std::stop_token& stop)> make;
  ResourceKeeper* keeper = nullptr;                     // of its limits; null: they are not held
  std::function<void()> on_change;                      // of the state; on a thread of the replica, without a lock
  std::function<void(const std::string& line)> on_log;  // one line for a person
};

// A process that is kept running: started, looked after until it is ready, started again when it ends, with longer and
// longer pauses (Kubernetes: CrashLoopBackOff). Ends with this process, however that ends. Thread-safe.
//
//   kStarting --the probe is answered--> kReady --it ends--> kFailed --pause--> kStarting
//   any --Stop--> kStopping --it has ended, or was killed--> kEnded
class Replica final {
 public:
  explicit Replica(ReplicaOptions options);
  // Waits until its process has ended.
  ~Replica();
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  const std::string& name() const { return options_.name; }
  ReplicaState state() const;
  // Where it takes requests, once it is ready: ProcessSpec::http_address().
  std::string address() const;
  // Likewise for calls of gRPC.
  std::string grpc_address() const;
  // Why the last process ended, with the last that it has written, or was not made; empty: none has, or it is ready.
  std::string failure() const;
  // Of a process that ended: what it left with, or 128 and the signal's number; nullopt: it was not made.
  std::optional<int> exit_code() const;
  // Of the last of its processes that has ended, also once the next one is ready; nullopt: none has.
  std::optional<ProcessEnd> last_end() const;
  int restarts() const;
  // By model: how often another process unloaded it and this replica loaded it again, in all lives of the process.
  std::map<std::string, int> reloads() const;
  // What its processes have written. They share one output, which also goes to this program's standard error.
  const std::shared_ptr<ReplicaLog>& log() const { return log_; }

  // Asks the process to end (SIGTERM), and kills it when its time for that is over. Returns at once.
  void Stop();

 private:
  void Run();
  // One life of the process, and how it ended; an error: there was none.
  base::Result<ProcessEnd> RunOnce();
  base::Result<ProcessLimits> Hold(const ContainerResources& resources) const;
  // Until it ends, is to stop, or passes its limits.
  void Attend(const ProcessSpec& spec, const base::ChildProcess& child, int output, ProcessLimits& limits);
  void End(const ProcessSpec& spec, const base::ChildProcess& child, int output);
  // Asks once whether the process is ready.
  bool Probe(const ProcessSpec& spec, int output);
  bool ProbeByCommand(const ProcessSpec& spec, int output);
  void KeepModels(modelcalls::ModelKeeper& keeper);
  // Waits until the process ends, and takes meanwhile what it writes; whether it has ended before `deadline`.
  bool TakeOutputUntilEnd(const base::ChildProcess& child, int output, std::chrono::steady_clock::time_point deadline);
  void TakeOutput(int output);
  // False: it is to stop.
  bool Sleep(std::chrono::milliseconds duration) const;
  bool stopped() const { return !Sleep(std::chrono::milliseconds(0)); }
  void Set(ReplicaState state);
  void Fail(std::string why, std::optional<ProcessEnd> end);

  const ReplicaOptions options_;
  const base::FileDescriptor stop_;  // an eventfd, readable once it is to stop
  std::stop_source stop_source_;
  const std::shared_ptr<ReplicaLog> log_ = std::make_shared<ReplicaLog>();
  mutable base::Mutex mutex_;
  ReplicaState state_ GUARDED_BY(mutex_) = ReplicaState::kStarting;
  std::string address_ GUARDED_BY(mutex_);
  std::string grpc_address_ GUARDED_BY(mutex_);
  std::string failure_ GUARDED_BY(mutex_);
  std::optional<int> exit_code_ GUARDED_BY(mutex_);
  std::optional<ProcessEnd> last_end_ GUARDED_BY(mutex_);
  int restarts_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, int> reloads_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace inferd::node
