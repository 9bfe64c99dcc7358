#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/logging.h"
#include "base/mutex.h"
#include "serving/enginehost/transfer/pinned_use.h"
#include "serving/worker/parent/roster.h"
#include "serving/worker/parent/supervised_model.h"
#include "serving/worker/parent/worker_process.h"

namespace inferd::worker {

// Keeps a worker process up for the models that it hosts, one or several: starts it with the first, notices when it
// ends, starts it again and has every model loaded there anew, and dismisses it with the last. Thread-safe.
//
//   idle --a model comes--> starting --the engine is open--> running --the last model goes--> idle
//   starting --cannot--> pausing --the pause is over--> starting
//   running --the process is lost--> pausing, or starting, if that is the first time in a while
//
// Models are loaded one at a time, so that it is known over which one a process has ended: a new one fails to load
// then; one that was being restored stays out for a while (Roster), and the others come up without it. One that fails
// to be restored is tried again in the running process, while there is another one in it; else that process is ended.
class Supervisor final {
 public:
  // A process that takes longer to open its engine, or to load a model again, does not come up any more.
  static constexpr std::chrono::minutes kPatience{5};

  struct Options {
    std::filesystem::path program;                   // inferd-worker
    StartOrder start;                                // its log levels are the logger's
    std::string kind;                                // of what the process is for: "model" or "engine"
    std::string title;                               // and its name, which the list of processes shows
    std::vector<std::string> environment;            // "NAME=VALUE", of its processes (base/system/model_environment.h)
    std::chrono::milliseconds patience = kPatience;  // with a process that is to open its engine, or restore a model
    base::Logger* logger = nullptr;                  // outlives this; null: silence
    core::ServerCalls* calls = nullptr;  // what its models may ask of the server; outlives this; null: nothing
    std::shared_ptr<enginehost::PinnedUses> pinned_uses = nullptr;  // where its processes' pools are counted
  };

  explicit Supervisor(Options options);
  // Every model is gone.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Blocks until the model is loaded. The thread that drops the last reference to it blocks until it is unloaded; if it
  // was the last one, until the process is gone. The engine's error, or why there is no process.
  static base::Result<std::shared_ptr<SupervisedModel>> Host(const std::shared_ptr<Supervisor>& supervisor,
                                                             core::LoadSpec load);

 private:
  using Model = std::shared_ptr<SupervisedModel>;
  using Process = std::shared_ptr<WorkerProcess>;

  // For models that come and go, on their threads.
  base::Status Join(const Model& model);
  base::Result<Process> AwaitProcess();
  bool Enter(const Process& process, const Model& model);
  bool Admit(const Process& process, const Model& model);
  void Leave(const Model& model);
  void Dismiss() REQUIRES(mutex_);

  // For the process, on this one's.
  void Run();
  bool AwaitUse();
  base::Status RunProcess(int64_t* ran_ns);
  base::Status Open(const Process& process);
  base::Status NotStarted(const base::Status& why);
  std::chrono::steady_clock::time_point NextDue();
  base::Status Restore(const Process& process, bool fresh);
  base::Status RestoreOne(const Process& process, const Model& model);
  void Pause(int64_t pause_ns, const base::Status& why);

  bool InUse() const REQUIRES(mutex_) { return waiting_ > 0 || !roster_.empty(); }
  std::string name() const { return "the worker process of " + options_.kind + " '" + options_.title + "'"; }

  const Options options_;
  base::Mutex mutex_;  // comes after a process's turn, and before a model's
  base::CondVar changed_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool idle_ GUARDED_BY(mutex_) = true;
  Process process_ GUARDED_BY(mutex_);
  bool open_ GUARDED_BY(mutex_) = false;       // process_ has the engine
  bool dismissed_ GUARDED_BY(mutex_) = false;  // process_ is to end
  size_t failed_starts_ GUARDED_BY(mutex_) = 0;
  base::Status why_not_started_ GUARDED_BY(mutex_);  // of the last of these
  size_t waiting_ GUARDED_BY(mutex_) = 0;            // models that come, and have no process yet
  Roster roster_ GUARDED_BY(mutex_);                 // the others
  Model ended_it_ GUARDED_BY(mutex_);  // over which the process has ended; null: none that was being restored
  std::thread thread_;                 // last: it uses the others
};

}  // namespace inferd::worker
