#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "data/tensor/bytes.h"
#include "protocols/tfs/request_metrics.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"
#include "serving/core/request/infer_response.h"

// A model's outputs, read as the results of examples. Pure.

namespace inferd::tfs {

// Whether a model's outputs can be read as a classification, or a regression, as far as can be told before they are
// there: their shapes are not. INVALID_ARGUMENT, in TensorFlow Serving's words: they cannot.
base::Status CheckClassifier(const core::ModelSignature& signature);
base::Status CheckRegressor(const core::ModelSignature& signature);

// Returns why TensorFlow Serving refuses examples for the signature, which has to have one input, and one output or for
// Classify two. Returns `failure` if the signature is as it should be, or `failure` is not about features or outputs.
base::Status RefuseSignature(Api api, const core::ModelSignature& signature, base::Status failure);

// The outputs of a classification: for each example, each class in the model's order. Scores are the output `scores`,
// or else the only one of floats, [examples, classes]; labels are the BYTES output `classes` of the same shape, or the
// only one of BYTES, or else the labels of the scores' output; "" where there are none. A model that has `classes`
// alone scores each with 0.
struct Classes {
  const core::InferTensor* labels = nullptr;  // of the response; each may be absent
  const core::InferTensor* scores = nullptr;
  std::span<const std::string> names;  // of the classes, where there are no labels
  size_t rows = 0;
  size_t classes = 0;
};

// How many examples a request was made of: each input has a row of each. Absent: it has no input.
std::optional<int64_t> CountExamples(const core::InferRequest& request);

// INVALID_ARGUMENT, in TensorFlow Serving's words: the outputs are not of shape [examples, classes]. INTERNAL: the
// model did not give one. Absent `examples` are as many as the outputs have. Views into both arguments.
base::Result<Classes> FindClasses(const core::InferResponse& response, const core::ModelSignature& signature,
                                  std::optional<int64_t> examples);

// One class after the other, example by example. Not thread-safe.
class ClassCursor {
 public:
  struct Class {
    std::string_view label;
    float score = 0;
  };

  // `classes` outlives it.
  explicit ClassCursor(const Classes& classes);
  // At most rows * classes times.
  Class Next();

 private:
  const Classes& classes_;
  std::optional<tensor::PackedElements::Iterator> label_;
  size_t next_ = 0;
};

// The values of a regression, one for each example: the output `outputs`, or the only one of floats. INVALID_ARGUMENT,
// in TensorFlow Serving's words: it is not of shape [examples] or [examples, 1]. INTERNAL: the response has none. A
// view into it.
base::Result<const core::InferTensor*> FindValues(const core::InferResponse& response,
                                                  const core::ModelSignature& signature,
                                                  std::optional<int64_t> examples);

// Element `i` of a tensor of floats. FP64 beyond a float is infinite.
float ValueAt(const core::InferTensor& tensor, size_t i);

}  // namespace inferd::tfs
