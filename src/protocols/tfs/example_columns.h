#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "protocols/tfs/feature.h"
#include "protocols/tfs/serialized_examples.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::tfs {

// Makes the inputs of a model from a list of examples, and from a context whose features all of them share. Each input
// is the feature of its name, or the only input is the examples themselves (TakesSerialized()). Not thread-safe.
class ExampleColumns final {
 public:
  enum class Part : uint8_t { kExample, kContext };

  // `signature` must outlive the columns.
  explicit ExampleColumns(const core::ModelSignature& signature);

  // Call once per example.
  void CountExample();
  size_t examples() const { return count_; }

  // Adds a feature of an example or of the context. Ignores one without an input of its name. Errors are
  // FeatureColumn's.
  base::Status Add(Part part, std::string_view name, const Feature& feature);

  // Puts the tensors into `request`. `bytes_max` limits the context's features, which are repeated for every example.
  // Errors are FeatureColumn's. INVALID_ARGUMENT if a required input is not a feature of every example, or is in both
  // the context and examples.
  base::Status Take(uint64_t bytes_max, core::InferRequest& request);

 private:
  using Columns = boost::container::small_vector<FeatureColumn, 4>;  // by input

  const core::ModelSignature& signature_;
  Columns examples_;
  Columns context_;
  std::optional<SerializedExamples> serialized_;  // in place of the columns
  size_t count_ = 0;
};

}  // namespace inferd::tfs
