#pragma once

#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "enginekit/engine_table.h"
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
  base::Result<enginekit::Progress> Execute(const inferd_batch& batch);

 private:
  PythonInstance(PythonModel* model, const inferd_instance_spec& spec) : model_(*model), spec_(spec) {}
  base::Status StartWorker();

  // Whether another worker is being started, which will execute the batch then.
  bool Queue(const inferd_batch& batch);
  // RESOURCE_EXHAUSTED: there is no thread for it, and nothing was begun.
  base::Status Restart(const inferd_batch& batch);
  void RunQueue();
  base::Result<enginekit::Progress> ExecuteOn(const base::Status& started, const inferd_batch& batch);
  void Run(const inferd_batch& batch, const base::Status& started);

  PythonModel& model_;
  const inferd_instance_spec spec_;
  // Both are the restarting thread's while there is one, and else of the thread that calls Execute().
  std::unique_ptr<WorkerLink> link_;               // null: none could be started
  std::vector<std::unique_ptr<WorkerLink>> left_;  // their workers have ended, and clients still hold their responses

  std::thread restarter_;
  base::Mutex mutex_;
  bool restarting_ GUARDED_BY(mutex_) = false;
  std::deque<const inferd_batch*> queue_ GUARDED_BY(mutex_);
};

}  // namespace inferd::python
