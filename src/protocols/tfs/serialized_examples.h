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

// Returns true if a model takes serialized examples and parses them itself. Its only input is BYTES. Its method is
// TensorFlow's for classification or regression; or it is Predict's, and the input is called `inputs` or `examples`, as
// in the signatures that TensorFlow makes for this purpose. A model whose format has no such methods gets features.
bool TakesSerialized(const core::ModelSignature& signature);

// Examples as serialized tf.Example messages (tensorflow/core/example/example.proto), each with the features of the
// context. Not thread-safe.
class SerializedExamples final {
 public:
  void CountExample() { examples_.emplace_back(); }
  void AddToContext(std::string_view name, const Feature& feature) { AppendFeature(name, feature, &context_); }
  // Call after CountExample().
  void AddToExample(std::string_view name, const Feature& feature) { AppendFeature(name, feature, &examples_.back()); }

  // Returns the tensor [examples]. RESOURCE_EXHAUSTED if, with the context, it exceeds `bytes_max`.
  base::Result<core::InferTensor> Take(const std::string& input, uint64_t bytes_max);

 private:
  static void AppendFeature(std::string_view name, const Feature& feature, std::string* features);

  std::string context_;                // a Features message, without its own tag
  std::vector<std::string> examples_;  // likewise
};

}  // namespace inferd::tfs
