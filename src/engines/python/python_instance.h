#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "engines/python/python_model.h"

namespace inferd::python {

// One instance: a worker, which is started anew when it has ended. An execution copies the inputs into the memory that
// both see, and the outputs from there. Not thread-safe.
class PythonInstance final {
 public:
  static base::Result<std::unique_ptr<PythonInstance>> Create(PythonModel* model, const inferd_instance_spec& spec);

  base::Status Execute(const inferd_batch& batch);

 private:
  PythonInstance(PythonModel* model, const inferd_instance_spec& spec) : model_(*model), spec_(spec) {}
  base::Status StartWorker();
  base::Status Order(const inferd_batch& batch);
  void AddRequest(const inferd_batch& batch, size_t request);
  // What the worker says until it is done with the batch.
  base::Status TakeAnswers(const inferd_batch& batch);
  void WaitForRoom(const inferd_batch& batch, const Value& responses);
  base::Status Respond(const inferd_batch& batch, const Value& bytes, const Value& responses);

  PythonModel& model_;
  const inferd_instance_spec spec_;
  std::optional<PythonProcess> process_;
  MarshalWriter message_;
};

}  // namespace inferd::python
