#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "engines/kit/engine_table.h"
#include "engines/python/python_model.h"
#include "engines/python/sharing/shared_worker.h"
#include "engines/python/worker_link.h"

namespace inferd::python {

// An instance with one worker, which is restarted when it has ended, or is the worker of an earlier load's instance. A
// restart takes as long as the model's imports, so a thread of its own does it, and then executes the batches that have
// arrived meanwhile.
class PythonInstance final : private SharedWorker<WorkerLink>::User {
 public:
  static base::Result<std::unique_ptr<PythonInstance>> Create(PythonModel* model, const inferd_instance_spec& spec);
  ~PythonInstance();

  // Like WorkerLink::Execute(). One call at a time. Does not wait for a restart.
  base::Result<kit::Progress> Execute(const inferd_batch& batch);

  // Asks the model if it is ready, in two steps, so that several instances are asked at the same time. May run beside
  // executions. UNAVAILABLE says why the model is not ready. A worker that has ended is started again: no request would
  // do that, since the probe keeps requests away.
  void AskReady();
  base::Status AwaitReady(std::chrono::steady_clock::time_point until);

 private:
  PythonInstance(PythonModel* model, const inferd_instance_spec& spec);
  base::Status StartWorker();
  std::optional<std::unique_ptr<WorkerLink>> Yield() override;
  std::unique_ptr<WorkerLink> GiveUp() override;
  // Ends a restart. Starts the next one if batches have been queued meanwhile.
  void EndRestart();

  // Returns true if another worker is being started, which will execute the batch. Returns false if this thread holds
  // the worker.
  bool Queue(const inferd_batch& batch);
  void Leave();
  // Queues the batch and starts a restart. RESOURCE_EXHAUSTED if there is no thread; then nothing was begun.
  base::Status Restart(const inferd_batch& batch);
  // Queues a batch that an ended worker had not begun, for the next worker.
  void TakeBack(const inferd_batch& batch);
  void Fail(const inferd_batch& batch, const base::Status& status) const;
  base::Status StartRestarter() REQUIRES(mutex_);
  // Restarts the worker if `line` still belongs to the current one.
  void Revive(const std::shared_ptr<ReadyLine>& line);
  void RunQueue();
  base::Result<kit::Progress> ExecuteOn(const base::Status& started, const inferd_batch& batch);
  base::Result<kit::Progress> ExecuteOrRestart(const inferd_batch& batch, base::Status& started);
  void Run(const inferd_batch& batch, base::Status& started);

  PythonModel& model_;
  const std::string name_;           // a copy, as the host's text is only valid for a while
  const inferd_instance_spec spec_;  // with name_ as its name
  const PythonModel::Shared shared_;
  // Used by the restarting thread while there is one, which may be another instance's, and otherwise by the thread in
  // Execute().
  std::unique_ptr<WorkerLink> link_;               // null if none could be started
  std::vector<std::unique_ptr<WorkerLink>> left_;  // links of ended workers whose responses clients still hold

  base::Mutex mutex_;
  std::thread restarter_ GUARDED_BY(mutex_);
  bool restarting_ GUARDED_BY(mutex_) = false;
  bool executing_ GUARDED_BY(mutex_) = false;                 // a thread is in Execute() and uses the worker
  std::shared_ptr<ReadyLine> ready_line_ GUARDED_BY(mutex_);  // the worker's. Null if there is none
  std::deque<const inferd_batch*> queue_ GUARDED_BY(mutex_);
};

}  // namespace inferd::python
