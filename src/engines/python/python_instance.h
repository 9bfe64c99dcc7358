#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "enginekit/engine_table.h"
#include "engines/python/python_model.h"
#include "engines/python/worker_link.h"

namespace inferd::python {

// One instance: a worker, which is started anew when it has ended. Not thread-safe.
class PythonInstance final {
 public:
  static base::Result<std::unique_ptr<PythonInstance>> Create(PythonModel* model, const inferd_instance_spec& spec);

  base::Result<enginekit::Progress> Execute(const inferd_batch& batch);

 private:
  PythonInstance(PythonModel* model, const inferd_instance_spec& spec) : model_(*model), spec_(spec) {}
  base::Status StartWorker();

  PythonModel& model_;
  const inferd_instance_spec spec_;
  std::unique_ptr<WorkerLink> link_;  // null: none could be started
  std::vector<std::unique_ptr<WorkerLink>>
      left_;  // their workers have ended, and clients still hold responses of theirs
};

}  // namespace inferd::python
