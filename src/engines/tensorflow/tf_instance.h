#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "engines/kit/batch_answer.h"
#include "engines/tensorflow/tf_model.h"

namespace inferd::tensorflow {

// Runs batches of one of a model's signatures on its session. One Execute() at a time; reuses a call's arrays.
class TfInstance final {
 public:
  // `signature` is its number in the model.
  TfInstance(TfModel* model, size_t signature);
  ~TfInstance() { Clear(); }
  TfInstance(const TfInstance&) = delete;
  TfInstance& operator=(const TfInstance&) = delete;

  // Answers every request of the batch, or returns the status for all of them. A run cannot be cancelled: TensorFlow's
  // C API has no function for it.
  base::Status Execute(const inferd_batch& batch);

 private:
  struct Fetch {
    uint32_t index = 0;  // of the output
    std::vector<int64_t> shape;
  };

  base::Status BindInputs(const inferd_batch& batch);
  base::Status BindDefaults(const inferd_batch& batch);
  base::Result<TensorOwner> MakeInput(const inferd_input& input) const;
  void BindOutputs(const inferd_batch& batch);
  base::Status Run();
  base::Status Answer(const inferd_batch& batch);
  base::Status FillOutput(const inferd_batch& batch, size_t fetch, inferd_output* output);
  base::Status FillStrings(const inferd_batch& batch, size_t count, const TF_Tensor* tensor, inferd_output* output);
  static bool SharesInput(const inferd_batch& batch, const void* data);
  void Clear();

  TfModel* const model_;
  const TfFunction& function_;
  const TfStatus status_;

  // State of the current call. The tensors are owned, but plain pointers: the library takes arrays of them.
  std::vector<TF_Output> feeds_;
  std::vector<TF_Tensor*> feed_values_;
  std::vector<TF_Output> fetches_;
  std::vector<TF_Tensor*> fetch_values_;
  std::vector<Fetch> fetched_;
  kit::BatchAnswer answer_;
};

}  // namespace inferd::tensorflow
