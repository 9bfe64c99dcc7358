#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/logging.h"
#include "base/mutex.h"
#include "serving/worker/channel/body_memory.h"
#include "serving/worker/control/model_message.h"
#include "serving/worker/parent/channel_caller.h"
#include "serving/worker/parent/readiness_line.h"
#include "serving/worker/parent/worker_process.h"

namespace inferd::worker {

// One model version in a worker process, and in the next one if that is lost: what is loaded, and the channels to its
// instances. Its Supervisor decides on the process. Thread-safe.
//
//   starting --Load--> up --Lose: the process is lost--> starting; or down, if no process starts for now
//   starting or down --Load fails--> unchanged, until Lose()
//   down --Expect: a process is being started--> starting
//   any --Close--> closed, for good; the process unloads the model
class SupervisedModel final {
 public:
  // `patience` is the least time that a process gets to load the model again. `logger` may be null for no log.
  SupervisedModel(core::LoadSpec load, std::chrono::milliseconds patience, base::Logger* logger);
  SupervisedModel(const SupervisedModel&) = delete;
  SupervisedModel& operator=(const SupervisedModel&) = delete;

  // The error for requests to a model that is being unloaded.
  static base::Status Unloading();

  // "<name>/<version>".
  const std::string& title() const { return title_; }

  // For users of the model. -------------------------------------------------------------------------------------------

  // The model's description by signature, once it was loaded. The same after every restart.
  const std::vector<ModelDescription>& descriptions() const { return *descriptions_; }

  // The memory for requests' bodies that each process can read. Null if the system has no such memory.
  const std::shared_ptr<BodyMemory>& bodies() const { return bodies_; }

  // Makes an instance and returns its number. Blocks until it is made. UNAVAILABLE if there is no process, or if the
  // process ended while it made the instance.
  base::Result<size_t> AddInstance(const InstanceOrder& order);
  // Removes an instance that has no execution in flight, if it is the newest one. The process destroys it when it makes
  // the next. Others are removed by Close(). Does not block.
  void RemoveInstance(size_t instance);

  // The channels to an instance, one for each execution that may be in flight at a time.
  using Callers = std::vector<std::shared_ptr<ChannelCaller>>;
  // Returns the channels of that instance. Waits while the process starts. UNAVAILABLE if there is no process for now.
  base::Result<std::shared_ptr<const Callers>> CallersOf(size_t instance);
  // Like CallersOf(), without waiting. Null if there are none now.
  std::shared_ptr<const Callers> CallersNow(size_t instance);
  // The number of times that the model was loaded into a process. Counted before an instance there can be used.
  uint64_t loads() const { return loads_.load(std::memory_order_acquire); }
  // Asks the model's own code. Blocks for some seconds at most; one call at a time. UNAVAILABLE if the model is not
  // ready, or there is no process to ask.
  base::Status CheckReady();
  // OK if requests find a process, or wait for one that starts at once. UNAVAILABLE from a failed start until a process
  // is up.
  base::Status Available();

  // For its supervisor. -----------------------------------------------------------------------------------------------

  // Loads the model and its instances into the process. Blocks; ends a process that takes much longer than the first
  // one did. Call with the process's turn() held. Returns the engine's error; ControlSocket::Gone() if the process is
  // ending; FAILED_PRECONDITION if the model's files have changed.
  base::Status Load(const std::shared_ptr<WorkerProcess>& process);
  // Call when the process is lost. If `at_once`, requests wait for the next process; otherwise they fail with `why`.
  void Lose(const base::Status& why, bool at_once);
  void Expect();
  // Unloads the model; its instances must be gone. Returns when the process has unloaded it, is lost, or takes longer
  // than an engine should; at once if the model is just being loaded there.
  void Close();

 private:
  enum class State { kStarting, kUp, kDown, kClosed };

  using Clock = ControlSocket::Clock;

  Clock::duration RestoreMax();
  base::Status LoadInto(const std::shared_ptr<WorkerProcess>& process, ControlSocket& socket,
                        Clock::time_point deadline);
  base::Status ReadDescriptions(std::string_view reply);
  base::Result<std::shared_ptr<const Callers>> MakeInstance(const std::shared_ptr<WorkerProcess>& process,
                                                            ControlSocket& socket, const InstanceOrder& order,
                                                            Clock::time_point deadline);
  base::Result<size_t> AddInstanceTo(const std::shared_ptr<WorkerProcess>& process, const InstanceOrder& order);
  base::Result<std::shared_ptr<WorkerProcess>> AwaitUp();
  std::shared_ptr<const Callers> WaysTo(size_t instance) const REQUIRES(mutex_);

  const core::LoadSpec load_;
  const std::string title_;
  const std::chrono::milliseconds patience_;
  const std::shared_ptr<BodyMemory> bodies_;
  std::atomic<uint64_t> loads_{0};
  std::shared_ptr<const std::vector<ModelDescription>> descriptions_;  // set by the first Load()
  base::Mutex mutex_;                                                  // lock after the process's turn
  base::CondVar changed_;
  State state_ GUARDED_BY(mutex_) = State::kStarting;
  bool given_up_ GUARDED_BY(mutex_) = false;  // from down until up
  base::Status why_ GUARDED_BY(mutex_);       // why it is not up
  std::shared_ptr<WorkerProcess> process_ GUARDED_BY(mutex_);
  std::shared_ptr<ControlSocket> socket_ GUARDED_BY(mutex_);     // in it. Null if the model is not there
  std::shared_ptr<ReadinessLine> readiness_ GUARDED_BY(mutex_);  // in it. Null without a readiness check, or if not up
  Clock::duration took_ GUARDED_BY(mutex_) = {};  // time for the first load and the first making of each instance
  std::vector<InstanceOrder> orders_ GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<const Callers>> callers_ GUARDED_BY(mutex_);  // parallel to orders_, while up
  uint32_t removed_ GUARDED_BY(mutex_) = 0;  // instances in the process, after those of orders_, to be destroyed
};

}  // namespace inferd::worker
