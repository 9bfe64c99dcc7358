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
  // Returns the process to run. Called before each start, on the replica's thread.
  std::function<base::Result<ProcessSpec>(const std::stop_token& stop)> make;
  ResourceKeeper* keeper = nullptr;                     // for its limits; if null, they are not enforced
  std::function<void()> on_change;                      // after a state change, on the replica's thread, without a lock
  std::function<void(const std::string& line)> on_log;  // receives a line for a person
};

// A process that is kept running. It is started, probed until it is ready, and restarted when it ends, with longer and
// longer pauses (Kubernetes: CrashLoopBackOff). It ends when this program ends, for whatever reason. Thread-safe.
//
//   kStarting --the probe is answered--> kReady --it ends--> kFailed --pause--> kStarting
//   any --Stop--> kStopping --it has ended, or was killed--> kEnded
class Replica final {
 public:
  explicit Replica(ReplicaOptions options);
  // Stops the process, and waits until it has ended.
  ~Replica();
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  const std::string& name() const { return options_.name; }
  ReplicaState state() const;
  // Returns the address for requests, once it is ready: ProcessSpec::http_address().
  std::string address() const;
  // Returns the address for gRPC calls, once it is ready.
  std::string grpc_address() const;
  // Returns why the last process ended or was not started, with its last output. Empty if none failed, or if it is
  // ready.
  std::string failure() const;
  // Returns the exit code of that process, or 128 plus the signal's number. nullopt if it was not started.
  std::optional<int> exit_code() const;
  // Returns the end of the last process that ended. Kept when the next one is ready. nullopt if none has ended.
  std::optional<ProcessEnd> last_end() const;
  int restarts() const;
  // By model: how often another process unloaded the model and this replica loaded it again. Counts over all restarts.
  std::map<std::string, int> reloads() const;
  // Returns the output of its processes. stdout and stderr are combined, and also go to this program's standard error.
  const std::shared_ptr<ReplicaLog>& log() const { return log_; }

  // Asks the process to end (SIGTERM), and kills it after its grace period. Returns at once.
  void Stop();

 private:
  void Run();
  // Runs one process until it ends, and returns its end. Returns an error if it was not started.
  base::Result<ProcessEnd> RunOnce();
  base::Result<ProcessLimits> Hold(const ContainerResources& resources) const;
  // Watches the process until it ends, must stop, or exceeds its limits.
  void Attend(const ProcessSpec& spec, const base::ChildProcess& child, int output, ProcessLimits& limits);
  void End(const ProcessSpec& spec, const base::ChildProcess& child, int output);
  // Probes the process once. Returns true if it is ready.
  bool Probe(const ProcessSpec& spec, int output);
  bool ProbeByCommand(const ProcessSpec& spec, int output);
  void KeepModels(modelcalls::ModelKeeper& keeper);
  // Reads the process's output until it ends. Returns false if it has not ended before `deadline`.
  bool TakeOutputUntilEnd(const base::ChildProcess& child, int output, std::chrono::steady_clock::time_point deadline);
  void TakeOutput(int output);
  // Returns false if the replica must stop.
  bool Sleep(std::chrono::milliseconds duration) const;
  bool stopped() const { return !Sleep(std::chrono::milliseconds(0)); }
  void Set(ReplicaState state);
  void Fail(std::string why, std::optional<ProcessEnd> end);

  const ReplicaOptions options_;
  const base::FileDescriptor stop_;  // an eventfd, readable once the replica must stop
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
