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

// Keeps a worker process up for the models that it hosts, one or several. Starts it with the first model; when it ends,
// restarts it and loads every model again; and ends it with the last model. Thread-safe.
//
//   idle --a model comes--> starting --the engine is open--> running --the last model goes--> idle
//   starting --failure--> pausing --the pause is over--> starting
//   running --the process is lost--> pausing; or starting, if that is the first loss in a while
//
// Models are loaded one at a time, so that the model whose load ended a process is known. A new model then fails to
// load. A model that was being restored stays out for a while (Roster), and the others come up without it. A model that
// fails to be restored is retried in the running process, as long as that has another model; otherwise that process is
// ended.
class Supervisor final {
 public:
  // A process that takes longer to open its engine, or to load a model again, counts as failed.
  static constexpr std::chrono::minutes kPatience{5};

  struct Options {
    std::filesystem::path program;                   // inferd-worker
    StartOrder start;                                // its log levels are taken from the logger
    std::string kind;                                // what the process serves: "model" or "engine"
    std::string title;                               // its name, as shown in the list of processes
    std::vector<std::string> environment;            // "NAME=VALUE", of its processes (base/system/model_environment.h)
    std::chrono::milliseconds patience = kPatience;  // for opening the engine or restoring a model
    base::Logger* logger = nullptr;                  // null for no log; outlives this
    core::ServerCalls* calls = nullptr;              // serves its models' requests; null for none; outlives this
    std::shared_ptr<enginehost::PinnedUses> pinned_uses = nullptr;  // counts its processes' pools
  };

  explicit Supervisor(Options options);
  // Every model must be gone.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Loads a model. Blocks until it is loaded. The thread that drops the last reference to it blocks until it is
  // unloaded, and, if it was the last model, until the process is gone. Returns the engine's error, or why there is no
  // process.
  static base::Result<std::shared_ptr<SupervisedModel>> Host(const std::shared_ptr<Supervisor>& supervisor,
                                                             core::LoadSpec load);

 private:
  using Model = std::shared_ptr<SupervisedModel>;
  using Process = std::shared_ptr<WorkerProcess>;

  // For models that come and go, on their threads:
  base::Status Join(const Model& model);
  base::Result<Process> AwaitProcess();
  bool Enter(const Process& process, const Model& model);
  bool Admit(const Process& process, const Model& model);
  void Leave(const Model& model);
  void Dismiss() REQUIRES(mutex_);

  // For the process, on thread_:
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
  base::Mutex mutex_;  // lock after a process's turn, and before a model's mutex
  base::CondVar changed_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool idle_ GUARDED_BY(mutex_) = true;
  Process process_ GUARDED_BY(mutex_);
  bool open_ GUARDED_BY(mutex_) = false;       // process_ has opened the engine
  bool dismissed_ GUARDED_BY(mutex_) = false;  // process_ is to end
  size_t failed_starts_ GUARDED_BY(mutex_) = 0;
  base::Status why_not_started_ GUARDED_BY(mutex_);  // of the last failed start
  size_t waiting_ GUARDED_BY(mutex_) = 0;            // models that come and have no process yet
  Roster roster_ GUARDED_BY(mutex_);                 // all other models
  Model ended_it_ GUARDED_BY(mutex_);                // the restored model whose load ended the process, or null
  std::thread thread_;                               // last: it uses the others
};

}  // namespace inferd::worker
