#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::tfs {

// One feature of one tf.Example: a list of values of one kind.
struct Feature {
  enum class Kind : uint8_t { kNone, kInt64, kFloat, kBytes };

  Kind kind = Kind::kNone;         // of the first value; kNone for an empty list
  std::vector<int64_t> integers;   // kInt64
  std::vector<double> reals;       // kFloat
  std::vector<std::string> texts;  // kBytes

  size_t size() const { return integers.size() + reals.size() + texts.size(); }
  void clear() {
    kind = Kind::kNone;
    integers.clear();
    reals.clear();
    texts.clear();
  }
};

// Returns "int64", "float" or "bytes", and "UNKNOWN" for kNone.
std::string_view KindName(Feature::Kind kind);

// Makes an input of a model from the feature of its name in consecutive examples. Not thread-safe.
class FeatureColumn final {
 public:
  // `spec` must outlive the column.
  explicit FeatureColumn(const core::TensorSpec& spec) : spec_(spec) {}

  size_t rows() const { return rows_; }
  size_t bytes() const { return bytes_.size(); }
  // INVALID_ARGUMENT, naming the feature, for a kind that the input's datatype does not accept, a value that it cannot
  // hold, or another number of values than the first example's.
  base::Status Add(const Feature& feature);
  // Repeats one example's value for `rows` examples. RESOURCE_EXHAUSTED if that exceeds `bytes_max`.
  base::Status Repeat(size_t rows, uint64_t bytes_max);
  // Returns the tensor; its first dimension is the examples. INVALID_ARGUMENT if a row of the input has another number
  // of elements.
  base::Result<core::InferTensor> Take();

 private:
  base::Status AddIntegers(const Feature& feature);
  base::Status AddReals(const Feature& feature);
  base::Status AddTexts(const Feature& feature);
  base::Status Mismatch(const Feature& feature) const;
  base::Status OutOfRange(const std::string& value) const;
  bool StoreInteger(int64_t value);
  bool StoreReal(double value);
  template <typename T>
  void Store(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  const core::TensorSpec& spec_;
  std::string bytes_;  // in the form of core::InferTensor
  size_t row_size_ = 0;
  size_t rows_ = 0;
};

}  // namespace inferd::tfs
