#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "engines/kit/tensor_signature.h"
#include "engines/python/sharing/model_key.h"
#include "engines/python/sharing/shared_worker.h"
#include "engines/python/worker_link.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

class PythonInstance;

// The objects that all models of this process share. Both may be null.
struct ModelShares {
  std::shared_ptr<WorkerSessions> sessions = nullptr;
  SharedWorkerTable<WorkerLink>* workers = nullptr;  // outlives the models
};

// A loaded model: its signature, as its file declares it, and how to start its workers. Thread-safe.
class PythonModel final {
 public:
  // Has a worker import the file. Errors of the worker are INVALID_ARGUMENT, with Python's own message.
  static base::Result<std::unique_ptr<PythonModel>> Load(const inferd_host& host, std::filesystem::path worker,
                                                         const inferd_load& load, const ModelShares& shares = {});

  const inferd_signature* signature() const { return signature_.abi(); }
  const inferd_host& host() const { return host_; }

  // For a model with `is_ready`: asks all instances. Blocks for some seconds at most. UNAVAILABLE if one is not ready,
  // with the reason. Instances that it does not ask may be added and removed meanwhile.
  base::Status CheckReady();
  void Add(PythonInstance* instance);
  void Remove(PythonInstance* instance);

  // The worker of an instance, and whether an instance of an earlier load has started it.
  struct Shared {
    std::shared_ptr<SharedWorker<WorkerLink>> worker;
    bool inherited = false;
  };
  // Finds the worker of a new instance, which has joined it then.
  Shared Share(const inferd_instance_spec& spec);
  // Gives a worker of an earlier load to the named instance. Returns false if the worker has ended.
  bool Serve(WorkerLink& worker, const std::string& instance, WorkerExecutions::TakeBack take_back);

  // Returns a worker that has imported the file: the one that told the signature if it is unused, or else a new one.
  base::Result<std::unique_ptr<WorkerLink>> TakeWorker();
  // Takes over the worker of a removed instance. Keeps it for the next instance if it is the model's only worker and
  // its instances have no state. Otherwise tells it to end: it is gone with this object, and the workers of all
  // instances end at the same time. No execution may be in progress.
  void Keep(std::unique_ptr<WorkerLink> worker);
  // Returns the kept worker, which serves the named instance then. Null if there is none or it has ended.
  std::unique_ptr<WorkerLink> TakeKept(const std::string& instance, const WorkerExecutions::TakeBack& take_back);
  // Has a worker make its instance. Executions may follow.
  base::Status StartInstance(WorkerLink& worker, const inferd_instance_spec& spec,
                             WorkerExecutions::TakeBack take_back) const;
  std::string InstanceName(const inferd_instance_spec& spec) const;

 private:
  PythonModel(const inferd_host& host, Interpreter interpreter, const inferd_load& load);
  base::Result<std::unique_ptr<WorkerLink>> StartWorker(Value* described) const;
  base::Status ReadSignature(const Value& described);
  // Properties that all tensors of a model share.
  struct TensorForm {
    bool one_piece = false;         // the host joins a batch's inputs
    bool independent_rows = false;  // the first dimension is a batch's
    bool may_be_missing = false;    // responses may lack some of the outputs
    bool unchecked = false;         // responses may differ from the declared datatypes and shapes
  };
  base::Status AddTensors(const Value& tensors, bool inputs, TensorForm form);

  const inferd_host& host_;
  const Interpreter interpreter_;
  const std::string name_;
  MarshalWriter load_message_;
  kit::TensorSignature signature_;
  std::chrono::milliseconds patience_{0};
  bool decoupled_ = false;
  bool stateless_ = false;       // a library's rows are independent: an instance leaves nothing behind in its worker
  std::optional<ModelKey> key_;  // nullopt if its instances share no workers
  std::shared_ptr<SharedWorkers<WorkerLink>> workers_;  // of all loads with this key; null without key
  uint64_t load_ = 0;                                   // this one's number among them
  base::Mutex mutex_;
  std::unique_ptr<WorkerLink> spare_ GUARDED_BY(mutex_);
  std::unique_ptr<WorkerLink> kept_ GUARDED_BY(mutex_);
  std::vector<PythonInstance*> instances_ GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<WorkerLink>> ending_ GUARDED_BY(mutex_);
};

}  // namespace inferd::python
