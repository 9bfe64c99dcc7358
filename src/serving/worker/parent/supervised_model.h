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

// One model version in a worker process, and in the next one when that is lost: what is loaded there, and the ways to
// its instances. Its Supervisor says which process. Thread-safe.
//
//   starting --Load--> up --Lose: the process is lost--> starting, or down, if there is none for the time being
//   starting or down --Load, and it cannot--> as it was; Lose says what it is
//   down --Expect: a process is being started--> starting
//   any --Close--> closed, for good; the process unloads it
class SupervisedModel final {
 public:
  // `patience`: the least time that a process has to load the model again. `logger` may be null: silence.
  SupervisedModel(core::LoadSpec load, std::chrono::milliseconds patience, base::Logger* logger);
  SupervisedModel(const SupervisedModel&) = delete;
  SupervisedModel& operator=(const SupervisedModel&) = delete;

  // What requests are told once it is to go.
  static base::Status Unloading();

  // "<name>/<version>".
  const std::string& title() const { return title_; }

  // What its users see. ---------------------------------------------------------------------------------------------

  // What the model is, by signature, once it was loaded; stays so through every restart.
  const std::vector<ModelDescription>& descriptions() const { return *descriptions_; }

  // What each of the processes sees of requests' bodies; null: the system has no such memory.
  const std::shared_ptr<BodyMemory>& bodies() const { return bodies_; }

  // Blocks for as long as it takes. Returns the instance's number. UNAVAILABLE: there is no process, or this has ended
  // it.
  base::Result<size_t> AddInstance(const InstanceOrder& order);

  // The ways to an instance, one for each execution that may go on there at a time.
  using Callers = std::vector<std::shared_ptr<ChannelCaller>>;
  // Those to that instance. Waits while the process starts. UNAVAILABLE: it does not, for the time being.
  base::Result<std::shared_ptr<const Callers>> CallersOf(size_t instance);
  // Without waiting; null: there are none now.
  std::shared_ptr<const Callers> CallersNow(size_t instance);
  // How often it was loaded into a process. Counted before any of its instances there is to be had.
  uint64_t loads() const { return loads_.load(std::memory_order_acquire); }
  // What the model's own code says of it. Blocks for some seconds at most; one call at a time. UNAVAILABLE: it is not
  // ready, or there is no process to ask.
  base::Status CheckReady();
  // OK: requests find a process, or wait while one is started at once. UNAVAILABLE: none has come up since that failed.
  base::Status Available();

  // What its supervisor does. ---------------------------------------------------------------------------------------

  // Loads it there, with the instances that it has by now. Blocks; a process that takes much longer than the first one
  // is ended. Under the process's turn(). The engine's error; ControlSocket::Gone(): the process is ending;
  // FAILED_PRECONDITION: it is another model by now.
  base::Status Load(const std::shared_ptr<WorkerProcess>& process);
  // There is no way to it, or none any more. `at_once`: requests wait for the next; otherwise they are told `why`.
  void Lose(const base::Status& why, bool at_once);
  void Expect();
  // Its instances are gone. Returns when the process has unloaded it, or is lost, or takes longer than an engine
  // should; at once, if it is just being loaded there.
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
  base::Mutex mutex_;                                                  // comes after the process's turn
  base::CondVar changed_;
  State state_ GUARDED_BY(mutex_) = State::kStarting;
  bool given_up_ GUARDED_BY(mutex_) = false;  // once down, until it is up
  base::Status why_ GUARDED_BY(mutex_);       // it is not up
  std::shared_ptr<WorkerProcess> process_ GUARDED_BY(mutex_);
  std::shared_ptr<ControlSocket> socket_ GUARDED_BY(mutex_);     // in it; null: it is not there
  std::shared_ptr<ReadinessLine> readiness_ GUARDED_BY(mutex_);  // in it; null: it says nothing, or is not up
  Clock::duration took_ GUARDED_BY(mutex_) = {};  // the first load, and each instance when it was made first
  std::vector<InstanceOrder> orders_ GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<const Callers>> callers_ GUARDED_BY(mutex_);  // as orders_, while it is up
};

}  // namespace inferd::worker
