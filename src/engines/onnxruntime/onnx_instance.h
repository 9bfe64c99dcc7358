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

// Runs batches on a session of a model's, on the CPU or on a GPU. One Execute() at a time; keeps the arrays that a call
// needs, so that a call allocates nothing of its own.
//
// On a GPU, inputs lie there already; outputs are computed into memory that the server gives, there or on the CPU.
// Where executions are CUDA graphs, all of them run on one thread, since each thread would have the library record its
// own, and outputs are copied from where the graph has them.
class OnnxInstance final {
 public:
  // `gpu`: its number, or kOnCpu.
  static base::Result<std::unique_ptr<OnnxInstance>> Create(OnnxModel* model, int32_t gpu);
  ~OnnxInstance();
  OnnxInstance(const OnnxInstance&) = delete;
  OnnxInstance& operator=(const OnnxInstance&) = delete;

  // Answers every request of the batch, now or later, or returns what all of them are to be answered.
  base::Result<kit::Progress> Execute(const inferd_batch& batch);

  // Memory on the GPU for an input of the next batch; an error on the CPU.
  base::Status AllocateInput(uint32_t input, size_t size, inferd_input_memory* memory);

 private:
  // An output that lies in the session's memory while an answer needs it.
  struct KeptValue {
    ~KeptValue() { model->NoteReturned(bytes); }

    OnnxModel* model;  // is there for as long as memory of its is in use
    OrtValue* value;
    size_t bytes;
  };
  struct Fetch {
    uint32_t index = 0;  // of the output
    std::vector<int64_t> shape;
    inferd_memory bound = {};         // what it is computed into: the response's memory, or
    bool to_be_copied = false;        // the instance's own; without data: the value brings its own,
    std::unique_ptr<KeptValue> kept;  // and this until the answer has it
  };

  OnnxInstance(OnnxModel* model, OrtSession* session, RunOptionsOwner options);

  base::Status ExecuteHere(const inferd_batch& batch);
  void ExecuteOnThread(const inferd_batch& batch);
  base::Status BindInputs(const inferd_batch& batch);
  base::Status AwaitCopies();  // from the instance's memory on the GPU, and to it
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
  std::unique_ptr<InstanceMemory> gpu_;       // null: on the CPU
  std::unique_ptr<GraphRuns> graphs_;         // null: executions are none, else
  std::unique_ptr<base::ThreadPool> thread_;  // they run on this one

  // Of the current call. The values are owned, but as plain pointers: the library takes arrays of them.
  std::vector<const inferd_input*> inputs_;  // by index; null: not given
  std::vector<const char*> input_names_;
  std::vector<OrtValue*> input_values_;
  std::vector<const char*> output_names_;
  std::vector<OrtValue*> output_values_;
  std::vector<Fetch> fetches_;
  size_t fetch_count_ = 0;
  kit::BatchAnswer answer_;
};

}  // namespace inferd::onnxruntime
