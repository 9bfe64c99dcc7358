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

  // Answers every request of the batch, or returns what all of them are to be answered.
  base::Status Execute(const inferd_batch& batch);

 private:
  // An output that lies in the session's memory while an answer needs it.
  struct KeptValue {
    OnnxModel* model;  // is there for as long as memory of its is in use
    OrtValue* value;
    size_t bytes;
  };
  struct Fetch {
    uint32_t index = 0;  // of the output
    std::vector<int64_t> shape;
    void* bound = nullptr;            // the response's memory, if it is computed into; else the value brings its own,
    std::unique_ptr<KeptValue> kept;  // and this until the answer has it
  };

  // With options of its own, so that it can be ended by itself.
  struct RunKind {
    RunKind(OnnxModel* of, RunOptionsOwner with) : model(of), options(std::move(with)), watched(options.get()) {
      model->watch().Add(&watched);
    }
    ~RunKind() { model->watch().Remove(&watched); }
    RunKind(const RunKind&) = delete;
    RunKind& operator=(const RunKind&) = delete;

    OnnxModel* const model;
    RunOptionsOwner options;
    WatchedRun watched;
  };

  OnnxInstance(OnnxModel* model, RunOptionsOwner options);

  base::Status BindInputs(const inferd_batch& batch);
  base::Result<ValueOwner> MakeInput(const inferd_input& input) const;
  base::Status BindOutputs(const inferd_batch& batch, bool bind);
  base::Status Run(const inferd_batch& batch);
  base::Status RunOnce(const inferd_batch& batch);
  RunKind& ChooseRun();
  base::Status Answer(const inferd_batch& batch);
  static void ReleaseValue(void* kept_value);
  base::Status FillOutput(const inferd_batch& batch, size_t fetch, inferd_output* output);
  base::Status FillStrings(const inferd_batch& batch, size_t fetch, inferd_output* output);
  void Clear();

  OnnxModel* const model_;
  RunKind plain_run_;
  std::unique_ptr<RunKind> shrinking_run_;  // made when it is first due

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
