#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "engines/kit/tensor_signature.h"
#include "engines/python/worker_link.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

class PythonInstance;

// A loaded model: what its file says that it takes and gives, and how its workers are started. Thread-safe.
class PythonModel final {
 public:
  // Has a worker import the file. `sessions`: of all workers of this process; null: others are not known. The worker's
  // errors are INVALID_ARGUMENT, with Python's own words.
  static base::Result<std::unique_ptr<PythonModel>> Load(const inferd_host& host, std::filesystem::path worker,
                                                         const inferd_load& load,
                                                         std::shared_ptr<WorkerSessions> sessions = nullptr);

  const inferd_signature* signature() const { return signature_.abi(); }
  const inferd_host& host() const { return host_; }

  // Of a model with `is_ready`: whether all instances say that they are ready, in some seconds. UNAVAILABLE: why not.
  // Instances come and go beside it, but for those that it asks.
  base::Status CheckReady();
  void Add(PythonInstance* instance);
  void Remove(PythonInstance* instance);

  // A worker that has imported the file: the one that told the signature if it is left, else a new one.
  base::Result<std::unique_ptr<WorkerLink>> TakeWorker();
  // Has a worker make its instance; executions may follow.
  base::Status StartInstance(WorkerLink& worker, const inferd_instance_spec& spec,
                             WorkerLink::TakeBack take_back) const;
  std::string InstanceName(const inferd_instance_spec& spec) const;

 private:
  PythonModel(const inferd_host& host, Interpreter interpreter, const inferd_load& load);
  base::Result<std::unique_ptr<WorkerLink>> StartWorker(Value* described) const;
  base::Status ReadSignature(const Value& described);
  // What all tensors of a model have in common.
  struct TensorForm {
    bool one_piece = false;         // the host gathers a batch's inputs
    bool independent_rows = false;  // the first dimension is a batch's
    bool may_be_missing = false;    // responses may come without some of the outputs,
    bool unchecked = false;         // and with others than are declared
  };
  base::Status AddTensors(const Value& tensors, bool inputs, TensorForm form);

  const inferd_host& host_;
  const Interpreter interpreter_;
  const std::string name_;
  MarshalWriter load_message_;
  kit::TensorSignature signature_;
  std::chrono::milliseconds patience_{0};
  bool decoupled_ = false;
  base::Mutex mutex_;
  std::unique_ptr<WorkerLink> spare_ GUARDED_BY(mutex_);
  std::vector<PythonInstance*> instances_ GUARDED_BY(mutex_);
};

}  // namespace inferd::python
