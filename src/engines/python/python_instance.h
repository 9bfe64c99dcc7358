#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "engines/kit/engine_table.h"
#include "engines/python/python_model.h"
#include "engines/python/worker_link.h"

namespace inferd::python {

// One instance: a worker, which is started anew when it has ended. That takes as long as the model's imports do, so a
// thread of its own does it, and executes what has come meanwhile.
class PythonInstance final {
 public:
  static base::Result<std::unique_ptr<PythonInstance>> Create(PythonModel* model, const inferd_instance_spec& spec);
  ~PythonInstance();

  // One call at a time. As WorkerLink's; it does not wait for another worker either.
  base::Result<kit::Progress> Execute(const inferd_batch& batch);

  // Whether the model says that it is ready, in two steps, so that several instances are asked at once; beside
  // executions. UNAVAILABLE: why not. A worker that has ended is started anew: one that probes keep requests away from
  // would get none that does it.
  void AskReady();
  base::Status AwaitReady(std::chrono::steady_clock::time_point until);

 private:
  PythonInstance(PythonModel* model, const inferd_instance_spec& spec);
  base::Status StartWorker();

  // Whether another worker is being started, which will execute the batch then. Else this thread has the worker.
  bool Queue(const inferd_batch& batch);
  void Leave();
  // RESOURCE_EXHAUSTED: there is no thread for it, and nothing was begun.
  base::Status Restart(const inferd_batch& batch);
  // Of a worker that has ended: the next one executes it.
  void TakeBack(const inferd_batch& batch);
  void Fail(const inferd_batch& batch, const base::Status& status) const;
  base::Status StartRestarter() REQUIRES(mutex_);
  // If the worker that is asked there is still this one's.
  void Revive(const std::shared_ptr<ReadyLine>& line);
  void RunQueue();
  base::Result<kit::Progress> ExecuteOn(const base::Status& started, const inferd_batch& batch);
  base::Result<kit::Progress> ExecuteOrRestart(const inferd_batch& batch, base::Status& started);
  void Run(const inferd_batch& batch, base::Status& started);

  PythonModel& model_;
  const std::string name_;           // the spec's, which the host has for a while only
  const inferd_instance_spec spec_;  // with that name
  // Both are the restarting thread's while there is one, and else of the thread that calls Execute().
  std::unique_ptr<WorkerLink> link_;               // null: none could be started
  std::vector<std::unique_ptr<WorkerLink>> left_;  // their workers have ended, and clients still hold their responses

  base::Mutex mutex_;
  std::thread restarter_ GUARDED_BY(mutex_);
  bool restarting_ GUARDED_BY(mutex_) = false;
  bool executing_ GUARDED_BY(mutex_) = false;                 // a thread is in Execute(), and has the worker
  std::shared_ptr<ReadyLine> ready_line_ GUARDED_BY(mutex_);  // the worker's; null: there is none
  std::deque<const inferd_batch*> queue_ GUARDED_BY(mutex_);
};

}  // namespace inferd::python
