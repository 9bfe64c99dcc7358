#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/logging.h"
#include "base/mutex.h"
#include "worker/back_off.h"
#include "worker/body_memory.h"
#include "worker/channel_caller.h"
#include "worker/model_message.h"
#include "worker/worker_process.h"

namespace inferd::worker {

// Keeps one model version up in a worker process: starts it, notices when it ends, starts it again, and makes its
// instances anew. Thread-safe.
//
//   starting --loaded--> up --the process is lost--> starting, or pausing if that comes too often
//   starting --cannot--> pausing --the pause is over--> starting
//   any --destroyed--> the process is gone
class Supervisor final {
 public:
  struct Options {
    std::filesystem::path program;  // inferd-worker
    StartOrder start;
    base::Logger* logger = nullptr;  // outlives this; null: silence
  };

  // Blocks until the model is loaded. The engine's error, or why there is no process.
  static base::Result<std::unique_ptr<Supervisor>> Start(Options options);
  // Ends the process, and waits for that.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // What the model is, by signature; stays so through every restart.
  const std::vector<ModelDescription>& models() const { return *models_; }

  // What each of the processes sees of requests' bodies; null: the system has no such memory.
  const std::shared_ptr<BodyMemory>& bodies() const { return bodies_; }

  // Blocks for as long as it takes. Returns the instance's number.
  base::Result<size_t> AddInstance(const InstanceOrder& order);

  // The way to that instance. Waits while the process starts. UNAVAILABLE: it does not, for the time being.
  base::Result<std::shared_ptr<ChannelCaller>> CallerOf(size_t instance);
  // OK: requests find a process, or wait while one is started at once. UNAVAILABLE: one was started too often, and none
  // has come up since.
  base::Status Available();
  // Without waiting; null: there is none now.
  std::shared_ptr<ChannelCaller> CallerNow(size_t instance);

 private:
  enum class State { kStarting, kUp, kPausing, kStopped };

  explicit Supervisor(Options options);
  static std::shared_ptr<BodyMemory> MakeBodies(const Options& options);
  void Run();
  base::Status Open();
  base::Status Load(WorkerProcess& process);
  base::Result<std::shared_ptr<ChannelCaller>> MakeInstance(const std::shared_ptr<WorkerProcess>& process,
                                                            const InstanceOrder& order);
  base::Status Lost(const std::string& how) const;
  bool Pause(int64_t pause_ns, const base::Status& why);
  base::Status AwaitFirstStart();

  const Options options_;
  const std::string title_;
  const std::shared_ptr<BodyMemory> bodies_;
  std::shared_ptr<const std::vector<ModelDescription>> models_;  // set before Start() returns
  base::Mutex orders_mutex_;                                     // held while instances are made; comes before mutex_
  base::Mutex mutex_;
  base::CondVar changed_;
  State state_ GUARDED_BY(mutex_) = State::kStarting;
  bool started_once_ GUARDED_BY(mutex_) = false;
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool given_up_ GUARDED_BY(mutex_) = false;  // by a pause, until a process is up
  base::Status why_ GUARDED_BY(mutex_);       // there is no process
  std::shared_ptr<WorkerProcess> process_ GUARDED_BY(mutex_);
  std::vector<InstanceOrder> orders_ GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<ChannelCaller>> callers_ GUARDED_BY(mutex_);  // as orders_
  std::thread thread_;                                                      // last: it uses the others
};

}  // namespace inferd::worker
