#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "protocols/tfs/feature.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::tfs {

// Whether a model takes examples as messages, and parses them itself: its one input is BYTES, and its method one of
// TensorFlow's for classification or regression; or that for Predict, and the input is called `inputs` or `examples`,
// as in the signatures that TensorFlow makes for that. A model whose format has no such methods gets features.
bool TakesSerialized(const core::ModelSignature& signature);

// Examples as serialized tf.Example messages (tensorflow/core/example/example.proto), each with the features of the
// context. Not thread-safe.
class SerializedExamples final {
 public:
  void CountExample() { examples_.emplace_back(); }
  void AddToContext(std::string_view name, const Feature& feature) { AppendFeature(name, feature, &context_); }
  // After CountExample().
  void AddToExample(std::string_view name, const Feature& feature) { AppendFeature(name, feature, &examples_.back()); }

  // The tensor [examples]. RESOURCE_EXHAUSTED: with the context, they are more than `bytes_max`.
  base::Result<core::InferTensor> Take(const std::string& input, uint64_t bytes_max);

 private:
  static void AppendFeature(std::string_view name, const Feature& feature, std::string* features);

  std::string context_;                // as a Features message, without its own tag
  std::vector<std::string> examples_;  // so too
};

}  // namespace inferd::tfs
