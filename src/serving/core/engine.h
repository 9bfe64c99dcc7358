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

// What an engine is told when a version is loaded.
struct LoadSpec {
  std::string model_name;
  int64_t version = 0;
  std::filesystem::path model_dir;    // <repo>/<model>
  std::filesystem::path version_dir;  // <repo>/<model>/<version>
  std::filesystem::path model_file;   // inside version_dir: config's default_model_filename, or the engine's default
  std::shared_ptr<const config::ModelConfig> config;
  int cpu_threads = 0;  // compute threads of this version; 0: its share of the process-wide budget
  // By instance group, where its instances run, and with them the threads that serve it; empty: anywhere. None given:
  // so do all.
  std::vector<base::CpuCores> group_cores = {};
  // Clients get outputs of the model's own code as it gives them, whatever datatypes and shapes are declared.
  bool unchecked_outputs = false;

  // Where threads may run that serve all of them: on the cores of any; empty: anywhere.
  base::CpuCores AllCores() const;
  base::CpuCores GroupCores(int group) const;
};

// One input of an execution: indices into the engine's signature, the shape of the whole batch, and its bytes in pieces
// (one per request, in request order) that the engine may take as they are or gather.
struct ExecutionInput {
  int index = 0;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape shape;
  boost::container::small_vector<base::BufferSlice, 1> pieces;
};

// What an engine answers: to one request, or to all requests of an execution.
struct EngineResponse {
  base::Status status = {};
  // None if `status` is an error. In the order of Execution::outputs, or with names. An output that the model left out
  // (TensorSpec::may_be_missing) has its place, and neither a datatype nor a name.
  std::vector<InferTensor> outputs = {};
  Parameters parameters = {};  // none if it is; else such that CheckResponseParameters() is OK
  bool final = true;           // the last response to the request
  // With `final`, of a model with iterative_sequence: it is not the last after all. The engine is done with the request
  // for this execution, and wants it executed again.
  bool reschedule = false;
};

// Where an instance of a version runs.
struct InstanceSpec {
  int group = 0;    // position among the configuration's instance groups
  int ordinal = 0;  // position among all instances of the version
  config::InstanceKind kind = config::InstanceKind::kCpu;
  int32_t device = 0;     // of a kGpu instance: the number of the GPU
  std::string name = {};  // config::InstanceName()
};

// One call of an engine on behalf of one or more requests. Rows that only fill the batch up stand as one more, which
// FillsUp() tells: no client waits for it, and its answer counts for nothing. Owned by the scheduler; it and all
// buffers it names stay valid until the engine has finished every request of it. The engine calls the methods from any
// thread, Execute() included; for one request never concurrently.
class Execution {
 public:
  virtual ~Execution() = default;

  std::vector<ExecutionInput> inputs;
  std::vector<int> outputs;   // indices of the outputs that any of the requests wants, ascending
  std::vector<int64_t> rows;  // per request, its rows of the batch dimension (1 each if the model does not batch)

  size_t request_count() const { return rows.size(); }
  virtual const InferRequest& request(size_t i) const = 0;

  // Nobody waits for request i any more. An engine may look at it between steps.
  virtual bool IsCancelled(size_t i) const = 0;

  // Whether request i is no client's: its rows only fill the batch up.
  virtual bool FillsUp(size_t /*i*/) const { return false; }

  // What a request takes over that an engine makes for request i while it executes it, or, CallOrigin::kAllRequests,
  // for all of them; but for the model's own name and version.
  virtual CallOrigin Origin(uint64_t i) const;

  // Memory for an output, aligned and with slack; later handed back in a response's InferTensor::data. It lies in
  // `wish` where the answer has a use for it there, or else in memory of the CPU. Throws std::bad_alloc.
  virtual base::Buffer AllocateOutput(int output, size_t bytes, base::MemoryPlace wish = {}) = 0;

  // Whether all that wait for the output take it in memory of a device. Other outputs are in memory of the CPU.
  virtual bool TakesOnDevice(int /*output*/) const { return false; }

  // Timestamps for the statistics (base::Clock::NowNs is read inside): inputs gathered, inference done. Optional.
  virtual void MarkInputsReady() = 0;
  virtual void MarkInferDone() = 0;

  // A response to request i alone. After one that is final, nothing more for request i.
  virtual void Respond(size_t i, EngineResponse response) = 0;

  // The final response, whatever its `final` says, to all that have none yet: whole-batch outputs, which the host
  // splits, and parameters, which each request gets; or the batch's failure.
  virtual void RespondAll(EngineResponse response) = 0;

  // The engine touches nothing of this execution any more. Called exactly once, after every request had its final
  // response (those that had none are answered INTERNAL). May destroy the execution.
  virtual void Finish() = 0;
};

// One executable copy of a version. Calls of its functions do not overlap; executions do, as far as the model takes
// several that are unfinished (EngineModel::unfinished_executions_max).
class EngineInstance {
 public:
  virtual ~EngineInstance() = default;
  // The execution may be finished later, from another thread: it lasts until Execution::Finish().
  virtual void Execute(Execution& execution) = 0;

  // For a thread that others wait for, such as an event loop. True: as Execute(). False: that took longer than such a
  // thread has; the next call must be Resume(), with the same execution, on a thread that may block.
  virtual bool TryExecute(Execution& execution) {
    Execute(execution);
    return true;
  }
  // What is left of it. Returns as Execute().
  virtual void Resume(Execution& /*execution*/) {}
};

class EngineModel;
struct SchedulerReport;

// The signature of a graph call: inputs and outputs by the names in it. NOT_FOUND: the graph has no such tensor.
using SignatureOpener = std::function<base::Result<std::unique_ptr<EngineModel>>(const GraphCall&)>;

// OK, or why a loaded version's requests fail for the time being. Called on any thread; does not block.
using Availability = std::function<base::Status()>;

// A loaded version, as one of its signatures. Destroyed after its instances, on a thread that may block.
class EngineModel {
 public:
  virtual ~EngineModel() = default;
  // The same version as each of its other signatures; their names are unique. They may outlive this.
  virtual std::vector<std::unique_ptr<EngineModel>> OtherSignatures() const { return {}; }
  // Makes further signatures of the same version, at any time and on any thread; it may outlive this. Null: the model
  // has no graph that could be called.
  virtual SignatureOpener GraphSignatures() const { return nullptr; }
  // What the model itself says: names, types, full shapes (with whatever batch dimension the file has).
  virtual const ModelSignature& signature() const = 0;
  virtual base::Result<std::unique_ptr<EngineInstance>> CreateInstance(const InstanceSpec& spec) = 0;
  // Bytes an input's memory must be a multiple of; 1: any.
  virtual size_t input_alignment(int input) const = 0;
  // The pieces of a batch are copied together behind Execute(): there is no use in aligning each before.
  virtual bool wants_one_piece(int /*input*/) const { return false; }
  // Where the engine sees inputs without a copy, for all signatures; null: anywhere. It may outlive this.
  virtual std::shared_ptr<InputMemory> input_memory() const { return nullptr; }
  // Of the version as a whole; it may outlive this. Null: it is always available.
  virtual Availability availability() const { return nullptr; }
  // What the model's own code says of that; called once it has instances, and while it has all of them. Null: it says
  // nothing, and is ready as long as it is available.
  virtual ReadinessCheck readiness_check() const { return nullptr; }
  // Request parameters that change what an execution does: requests that differ in one never share an execution.
  virtual std::span<const std::string> significant_parameters() const { return {}; }
  // Threads that an execution keeps busy, the one that calls Execute() included; 0: none, it only waits.
  virtual int compute_threads() const { return 1; }
  // Execute() waits for another process that computes: of a short execution, most is the way there and back.
  virtual bool computes_elsewhere() const { return false; }
  // On a thread that works in turns, Execute() only passes inputs on, and the execution is finished in a later turn of
  // that thread, or on another one.
  virtual bool returns_at_once() const { return false; }
  // How many executions of an instance may be unfinished at a time, where Execute() returns before they are; at
  // least 1.
  virtual int unfinished_executions_max() const { return 1; }
  // How many more an instance takes, and begins when those before are over.
  virtual int executions_ahead() const { return 0; }
  // What the model's own code completes of its configuration.
  virtual config::CompletedByModel completed() const { return {}; }
  // CreateInstance() may be called for several instances at a time, on different threads.
  virtual bool parallel_instances() const { return false; }
  // Another number whenever what its instances kept between executions is lost: a process of its own was replaced by a
  // new one. Not before executions there are over, nor after others begin in the new one. Any thread.
  virtual uint64_t memory_epoch() const { return 0; }
  // Adds to the report of its scheduler what the model knows itself. Any thread.
  virtual void Report(SchedulerReport& /*report*/) const {}
};

// A kind of model file that this server can run. Thread-safe; lives as long as the process.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;                    // "onnxruntime"
  virtual std::string_view version() const = 0;                 // of the vendor's library
  virtual std::string_view default_model_filename() const = 0;  // "model.onnx"; empty: needs no file
  virtual config::EngineGpus gpus() const { return {}; }
  // Blocks for as long as loading takes: called on the loader pool only.
  virtual base::Result<std::unique_ptr<EngineModel>> Load(const LoadSpec& spec) = 0;
};

}  // namespace inferd::core
