#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "engines/kit/batch_answer.h"
#include "engines/kit/engine_table.h"
#include "engines/onnxruntime/gpu/instance_memory.h"
#include "engines/onnxruntime/graph_runs.h"
#include "engines/onnxruntime/onnx_model.h"
#include "engines/onnxruntime/onnx_run.h"

namespace inferd::onnxruntime {

// Runs batches on one of a model's sessions, on the CPU or on a GPU. One Execute() at a time. Keeps a call's arrays, so
// that a call allocates nothing of its own.
//
// On a GPU, inputs are there already; outputs are computed into memory that the server provides, there or on the CPU.
// With CUDA graphs, all executions run on one thread, since the library would record separate graphs for each thread,
// and outputs are copied from the graph's memory.
class OnnxInstance final {
 public:
  // `gpu` is its number, or kOnCpu.
  static base::Result<std::unique_ptr<OnnxInstance>> Create(OnnxModel* model, int32_t gpu);
  ~OnnxInstance();
  OnnxInstance(const OnnxInstance&) = delete;
  OnnxInstance& operator=(const OnnxInstance&) = delete;

  // Answers every request of the batch, now or later, or returns the status for all of them.
  base::Result<kit::Progress> Execute(const inferd_batch& batch);

  // Returns memory on the GPU for an input of the next batch; an error on the CPU.
  base::Status AllocateInput(uint32_t input, size_t size, inferd_input_memory* memory);

 private:
  // An output that stays in the session's memory while a response needs it.
  struct KeptValue {
    ~KeptValue() { model->NoteReturned(bytes); }

    OnnxModel* model;  // lives as long as its memory is in use
    OrtValue* value;
    size_t bytes;
  };
  struct Fetch {
    uint32_t index = 0;  // of the output
    std::vector<int64_t> shape;
    inferd_memory bound = {};              // the memory that it is computed into: the response's, or
    bool to_be_copied = false;             // the instance's own; without data: the value has its own,
    std::unique_ptr<KeptValue> kept;       // which is kept here until the response takes it
    const inferd_input* passed = nullptr;  // the input that the graph lists as this output; null if it is computed
  };

  OnnxInstance(OnnxModel* model, OrtSession* session, RunOptionsOwner options);

  base::Status ExecuteHere(const inferd_batch& batch);
  void ExecuteOnThread(const inferd_batch& batch);
  base::Status BindInputs(const inferd_batch& batch);
  base::Status AwaitCopies();  // between CPU and the instance's memory on the GPU
  base::Result<ValueOwner> MakeInput(const inferd_input& input) const;
  base::Result<ValueOwner> MakeValue(const OnnxTensor& tensor, const inferd_memory& memory, const int64_t* shape,
                                     size_t rank) const;
  base::Result<inferd_memory> FixInput(const inferd_input& input) const;
  base::Status BindOutputs(const inferd_batch& batch, bool bind);
  base::Result<inferd_memory> PlaceOutput(const inferd_batch& batch, uint32_t index, size_t bytes);
  base::Status Run(const inferd_batch& batch);
  base::Status RunOnce(const inferd_batch& batch);
  OnnxRun& ChooseRun(const inferd_batch& batch);
  bool CanBeGraph(const inferd_batch& batch) const;
  base::Status Answer(const inferd_batch& batch);
  static void ReleaseValue(void* kept_value);
  base::Status FillOutput(const inferd_batch& batch, size_t fetch, inferd_output* output);
  base::Status PassInput(const inferd_batch& batch, Fetch& fetch, inferd_output* output);
  base::Status CopyOutput(const inferd_batch& batch, const Fetch& fetch, inferd_output* output);
  base::Status TakeValue(const inferd_batch& batch, size_t fetch, size_t bytes, inferd_output* output);
  base::Status CopyValue(const inferd_batch& batch, const void* data, size_t bytes, inferd_output* output);
  base::Status KeepValue(size_t fetch, void* data, size_t bytes, inferd_output* output);
  base::Status FillStrings(const inferd_batch& batch, size_t fetch, inferd_output* output);
  void Clear();

  OnnxModel* const model_;
  OrtSession* const session_;
  OnnxRun plain_run_;
  std::unique_ptr<OnnxRun> shrinking_run_;    // made when it is first due
  std::unique_ptr<InstanceMemory> gpu_;       // null on the CPU
  std::unique_ptr<GraphRuns> graphs_;         // null if executions use no graphs, else
  std::unique_ptr<base::ThreadPool> thread_;  // they run on this thread

  // State of the current call. The values are owned, but plain pointers: the library takes arrays of them.
  std::vector<const inferd_input*> inputs_;  // by index; null if not given
  std::vector<const char*> input_names_;
  std::vector<OrtValue*> input_values_;
  std::vector<const char*> output_names_;
  std::vector<OrtValue*> output_values_;
  std::vector<Fetch> fetches_;
  size_t fetch_count_ = 0;
  kit::BatchAnswer answer_;
};

}  // namespace inferd::onnxruntime
