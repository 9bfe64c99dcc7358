#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/system/cpu_cores.h"
#include "config/model/instances.h"
#include "config/model/model_config.h"
#include "serving/core/graph_call.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/model/readiness_probe.h"
#include "serving/core/request/call_origin.h"
#include "serving/core/request/infer_request.h"
#include "serving/core/request/input_memory.h"

namespace inferd::core {

// The parameters of a version's load, for the engine.
struct LoadSpec {
  std::string model_name;
  int64_t version = 0;
  std::filesystem::path model_dir;    // <repo>/<model>
  std::filesystem::path version_dir;  // <repo>/<model>/<version>
  std::filesystem::path model_file;   // inside version_dir: config's default_model_filename, or the engine's default
  std::shared_ptr<const config::ModelConfig> config;
  int cpu_threads = 0;  // compute threads of this version; 0 means its share of the process-wide budget
  // Per instance group, the cores of its instances and of the threads that serve them. An empty entry means any core.
  // An empty vector means any core for every group.
  std::vector<base::CpuCores> group_cores = {};
  // True if clients get the outputs of the model's own code unchecked, whatever datatypes and shapes are declared.
  bool unchecked_outputs = false;

  // Returns the cores for threads that serve all groups: the union of the groups' cores. Empty if any core will do.
  base::CpuCores AllCores() const;
  base::CpuCores GroupCores(int group) const;
};

// One input of an execution: its index in the engine's signature, the shape of the whole batch, and its bytes in pieces
// (one per request, in request order). The engine may use the pieces as they are, or gather them.
struct ExecutionInput {
  int index = 0;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape shape;
  boost::container::small_vector<base::BufferSlice, 1> pieces;
};

// An engine's response, to one request or to all requests of an execution.
struct EngineResponse {
  base::Status status = {};
  // Empty if `status` is an error. In the order of Execution::outputs, or named. If the model left out an output
  // (TensorSpec::may_be_missing), its entry is there, without datatype and name.
  std::vector<InferTensor> outputs = {};
  Parameters parameters = {};  // empty if `status` is an error; must pass CheckResponseParameters()
  bool final = true;           // the last response to the request
  // Only with `final`, of a model with iterative_sequence: this is not the last response after all. The engine has
  // finished the request in this execution, and wants it executed again.
  bool reschedule = false;
};

// An instance of a version, and where it runs.
struct InstanceSpec {
  int group = 0;    // position among the configuration's instance groups
  int ordinal = 0;  // position among all instances of the version
  config::InstanceKind kind = config::InstanceKind::kCpu;
  int32_t device = 0;     // of a kGpu instance: the number of the GPU
  std::string name = {};  // config::InstanceName()
};

// One call of an engine on behalf of one or more requests. Rows that only fill up the batch form one more request, for
// which FillsUp() is true: no client waits for it, and its response is ignored. The scheduler owns the execution. It
// and all buffers in it stay valid until the engine has finished every request of it. The engine may call the methods
// from any thread, also inside of Execute(), but never concurrently for the same request.
class Execution {
 public:
  virtual ~Execution() = default;

  std::vector<ExecutionInput> inputs;
  std::vector<int> outputs;   // indices of the outputs that at least one request wants, ascending
  std::vector<int64_t> rows;  // per request, its rows of the batch dimension (1 each if the model does not batch)

  size_t request_count() const { return rows.size(); }
  virtual const InferRequest& request(size_t i) const = 0;

  // Returns true if no client waits for request i any more. An engine may check it between its steps.
  virtual bool IsCancelled(size_t i) const = 0;

  // Returns true if request i belongs to no client: its rows only fill up the batch.
  virtual bool FillsUp(size_t /*i*/) const { return false; }

  // Returns the origin of a model call that the engine makes during this execution: the values that the call inherits
  // from request i, or from all requests if `i` is CallOrigin::kAllRequests. Leaves the calling model's name and
  // version empty.
  virtual CallOrigin Origin(uint64_t i) const;

  // Allocates memory for an output, aligned and with slack. The engine hands it back in a response's InferTensor::data.
  // The memory lies in `wish` if the response can use it there, otherwise in memory of the CPU. Throws std::bad_alloc.
  virtual base::Buffer AllocateOutput(int output, size_t bytes, base::MemoryPlace wish = {}) = 0;

  // Returns true if every request that wants the output accepts it in a device's memory. Other outputs must be in
  // memory of the CPU.
  virtual bool TakesOnDevice(int /*output*/) const { return false; }

  // Take timestamps for the statistics (by base::Clock::NowNs): inputs gathered, inference done. Optional.
  virtual void MarkInputsReady() = 0;
  virtual void MarkInferDone() = 0;

  // Sends a response to request i alone. After a final response, no more may follow for request i.
  virtual void Respond(size_t i, EngineResponse response) = 0;

  // Sends the final response, whatever its `final` says, to all requests that have none yet. It holds either the
  // outputs of the whole batch, which the host splits, and parameters, which each request gets; or the batch's failure.
  virtual void RespondAll(EngineResponse response) = 0;

  // Ends the execution: the engine no longer touches anything of it. Call exactly once, after the final response to
  // every request; requests without one are answered INTERNAL. May destroy the execution.
  virtual void Finish() = 0;
};

// One executable copy of a version. Calls of its functions never overlap. Executions may overlap, up to the number that
// the model allows (EngineModel::unfinished_executions_max).
class EngineInstance {
 public:
  virtual ~EngineInstance() = default;
  // Starts the execution. It may be finished later, on another thread, and lives until Execution::Finish().
  virtual void Execute(Execution& execution) = 0;

  // As Execute(), for a thread that must not block, such as an event loop. Returns true if it did all that Execute()
  // does. Returns false if that would take too long: the next call must be Resume(), with the same execution, on a
  // thread that may block.
  virtual bool TryExecute(Execution& execution) {
    Execute(execution);
    return true;
  }
  // Does the rest of an execution for which TryExecute() returned false. Returns as Execute() does.
  virtual void Resume(Execution& /*execution*/) {}
};

class EngineModel;
struct SchedulerReport;

// Opens the signature of a graph call, whose inputs and outputs have the names in the call. NOT_FOUND if the graph has
// no such tensor.
using SignatureOpener = std::function<base::Result<std::unique_ptr<EngineModel>>(const GraphCall&)>;

// Returns OK, or why requests to a loaded version fail at present. Called on any thread. Does not block.
using Availability = std::function<base::Status()>;

// One signature of a loaded version. Destroyed after its instances, on a thread that may block.
class EngineModel {
 public:
  virtual ~EngineModel() = default;
  // Returns the version's other signatures, whose names are unique. They may outlive this object.
  virtual std::vector<std::unique_ptr<EngineModel>> OtherSignatures() const { return {}; }
  // Returns a function that makes further signatures of the same version, at any time and on any thread. It may outlive
  // this object. Null if the model has no graph to call.
  virtual SignatureOpener GraphSignatures() const { return nullptr; }
  // The model file's own signature: names, types, full shapes (with any batch dimension that the file has).
  virtual const ModelSignature& signature() const = 0;
  virtual base::Result<std::unique_ptr<EngineInstance>> CreateInstance(const InstanceSpec& spec) = 0;
  // Returns the alignment in bytes that an input's memory must have. 1 means any.
  virtual size_t input_alignment(int input) const = 0;
  // Returns true if Execute() copies the pieces of a batch into one, so that the caller need not align each piece
  // before.
  virtual bool wants_one_piece(int /*input*/) const { return false; }
  // Returns the memory in which the engine can read inputs without a copy, for all signatures. Null if any memory will
  // do. It may outlive this object.
  virtual std::shared_ptr<InputMemory> input_memory() const { return nullptr; }
  // Returns the availability of the version as a whole. It may outlive this object. Null if it is always available.
  virtual Availability availability() const { return nullptr; }
  // Returns the readiness check of the model's own code, which may run only while the version has all of its instances.
  // Null if the code has no check: the model is then ready whenever it is available.
  virtual ReadinessCheck readiness_check() const { return nullptr; }
  // Returns the request parameters that change what an execution does. Requests that differ in one never share an
  // execution.
  virtual std::span<const std::string> significant_parameters() const { return {}; }
  // Returns the number of threads that an execution keeps busy, including the one that calls Execute(). 0 if it only
  // waits.
  virtual int compute_threads() const { return 1; }
  // Returns true if another process computes and Execute() waits for it. Most of a short execution is then the way
  // there and back.
  virtual bool computes_elsewhere() const { return false; }
  // Returns true if Execute(), on a thread that works in turns, only passes inputs on. The execution is then finished
  // in a later turn of that thread, or on another thread.
  virtual bool returns_at_once() const { return false; }
  // Returns how many executions of an instance may be unfinished at a time, if Execute() returns before they are
  // finished. At least 1.
  virtual int unfinished_executions_max() const { return 1; }
  // Returns how many more executions an instance accepts in advance. It begins them when the ones before are finished.
  virtual int executions_ahead() const { return 0; }
  // Returns the parts of the configuration that the model's own code completes.
  virtual config::CompletedByModel completed() const { return {}; }
  // Returns true if CreateInstance() may be called concurrently for several instances.
  virtual bool parallel_instances() const { return false; }
  // Returns a number that changes whenever the state that instances keep between executions is lost, because a new
  // worker process replaced the old one. It changes after the last execution in the old process and before the first
  // one in the new. Thread-safe.
  virtual uint64_t memory_epoch() const { return 0; }
  // Adds the model's own figures to its scheduler's report. Thread-safe.
  virtual void Report(SchedulerReport& /*report*/) const {}
};

// A kind of model file that this server can run. Thread-safe. Lives as long as the process.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;                    // "onnxruntime"
  virtual std::string_view version() const = 0;                 // of the vendor's library
  virtual std::string_view default_model_filename() const = 0;  // "model.onnx"; empty if it needs no file
  virtual config::EngineGpus gpus() const { return {}; }
  // Loads a version. Blocks for as long as loading takes: called on the loader pool only.
  virtual base::Result<std::unique_ptr<EngineModel>> Load(const LoadSpec& spec) = 0;
};

}  // namespace inferd::core
