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

// Interpretation of a model's outputs as results of examples. Pure.

namespace inferd::tfs {

// Checks that a model's outputs can be a classification or a regression, as far as the signature tells: the outputs'
// shapes are not known yet. INVALID_ARGUMENT, in TensorFlow Serving's words, if they cannot.
base::Status CheckClassifier(const core::ModelSignature& signature);
base::Status CheckRegressor(const core::ModelSignature& signature);

// Returns TensorFlow Serving's reason for refusing examples for the signature, which must have one input, and one
// output or for Classify two. Returns `failure` if the signature is valid, or if `failure` does not concern features or
// outputs.
base::Status RefuseSignature(Api api, const core::ModelSignature& signature, base::Status failure);

// The outputs of a classification: for each example, each class in the model's order. Scores are the output `scores`,
// or else the only one of floats, [examples, classes]. Labels are the BYTES output `classes` of the same shape, or the
// only one of BYTES, or else the labels of the scores' output; "" if there are none. A model that only has `classes`
// scores each with 0.
struct Classes {
  const core::InferTensor* labels = nullptr;  // of the response; both may be absent
  const core::InferTensor* scores = nullptr;
  std::span<const std::string> names;  // of the classes, if there are no labels
  size_t rows = 0;
  size_t classes = 0;
};

// Returns the number of examples of a request: the rows of its inputs. Absent if it has no input.
std::optional<int64_t> CountExamples(const core::InferRequest& request);

// INVALID_ARGUMENT, in TensorFlow Serving's words, if the outputs do not have the shape [examples, classes]. INTERNAL
// if the model did not give one. If `examples` is absent, the outputs' number is used. Views into both arguments.
base::Result<Classes> FindClasses(const core::InferResponse& response, const core::ModelSignature& signature,
                                  std::optional<int64_t> examples);

// Iterates over the classes, example by example. Not thread-safe.
class ClassCursor {
 public:
  struct Class {
    std::string_view label;
    float score = 0;
  };

  // `classes` must outlive it.
  explicit ClassCursor(const Classes& classes);
  // Call at most rows * classes times.
  Class Next();

 private:
  const Classes& classes_;
  std::optional<tensor::PackedElements::Iterator> label_;
  size_t next_ = 0;
};

// Returns the values of a regression, one for each example: the output `outputs`, or the only one of floats.
// INVALID_ARGUMENT, in TensorFlow Serving's words, if its shape is not [examples] or [examples, 1]. INTERNAL if the
// response has none. A view into the response.
base::Result<const core::InferTensor*> FindValues(const core::InferResponse& response,
                                                  const core::ModelSignature& signature,
                                                  std::optional<int64_t> examples);

// Returns element `i` of a tensor of floats. FP64 beyond a float's range becomes infinite.
float ValueAt(const core::InferTensor& tensor, size_t i);

}  // namespace inferd::tfs
