#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "enginekit/batch_answer.h"
#include "engines/onnxruntime/onnx_model.h"

namespace inferd::onnxruntime {

// Runs batches on a model's session. One Execute() at a time; keeps the arrays that a call needs, so that a call
// allocates nothing of its own.
class OnnxInstance final {
 public:
  static base::Result<std::unique_ptr<OnnxInstance>> Create(OnnxModel* model);
  ~OnnxInstance();

  // Answers every request of the batch, or returns what all of them are to be answered.
  base::Status Execute(const inferd_batch& batch);

 private:
  struct Fetch {
    uint32_t index = 0;  // of the output
    std::vector<int64_t> shape;
    void* bound = nullptr;  // the response's memory, if it is computed into; else the value brings its own
  };

  OnnxInstance(OnnxModel* model, RunOptionsOwner options);

  base::Status BindInputs(const inferd_batch& batch);
  base::Result<ValueOwner> MakeInput(const inferd_input& input) const;
  base::Status BindOutputs(const inferd_batch& batch, bool bind);
  base::Status Run(const inferd_batch& batch);
  base::Status RunOnce(const inferd_batch& batch);
  base::Status Answer(const inferd_batch& batch);
  base::Status FillOutput(const inferd_batch& batch, size_t fetch, inferd_output* output);
  base::Status FillStrings(const inferd_batch& batch, size_t fetch, inferd_output* output);
  void Clear();

  OnnxModel* const model_;
  RunOptionsOwner options_;
  WatchedRun watched_;

  // Of the current call. The values are owned, but as plain pointers: the library takes arrays of them.
  std::vector<const inferd_input*> inputs_;  // by index; null: not given
  std::vector<const char*> input_names_;
  std::vector<OrtValue*> input_values_;
  std::vector<const char*> output_names_;
  std::vector<OrtValue*> output_values_;
  std::vector<Fetch> fetches_;
  size_t fetch_count_ = 0;
  enginekit::BatchAnswer answer_;
};

}  // namespace inferd::onnxruntime
