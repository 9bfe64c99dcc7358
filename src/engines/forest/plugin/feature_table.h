#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"

namespace inferd::forest {

// Finds features by the names in a model's file. Immutable; thread-safe.
class FeatureNames final {
 public:
  // `names` must outlive this object: one for each of the `count` features, or none. LightGBM writes `_` in place of a
  // space; such a feature is found by either name.
  FeatureNames(const std::vector<std::string>& names, size_t count);

  size_t count() const { return count_; }
  // Returns the feature's position in a row, or -1 if no feature has that name.
  int64_t Find(std::string_view name) const;
  // Returns up to five names for an error text: "'a', 'b', ...". Empty if there are none.
  std::string Shown() const;

 private:
  const std::vector<std::string>& names_;
  const size_t count_;
  std::unordered_map<std::string_view, size_t> positions_;
};

// Rows of features.
struct FeatureTable {
  size_t rows = 0;
  std::vector<double> values;  // [rows, features]; NaN for null, and for features that the body does not name
  bool by_column = false;      // the body has "inputs": {feature: [..]}
};

// Reads the rows of a body of KServe's or TensorFlow Serving's `:predict` that name features, or that have null. An
// element of "instances" (or of a list of "inputs") is one of:
//
//   {"a": 1, "b": null}            a row by names
//   {"a": [1, 2], "b": [3, 4]}     rows, column by column
//   {"a": {"0": 1, "1": 2}, ..}    the same with the labels of rows, as pandas.DataFrame.to_dict() writes them
//   [1, null]                      a row in the features' order
//   [{"a": 1, "b": 2}, [1, 2]]     rows
//
// "inputs" may also be one such object. Names that the model does not have are ignored, but one name of each object
// must be known. INVALID_ARGUMENT if the body has another form; RESOURCE_EXHAUSTED if absent values would make the
// table much larger than the body. Pure; any thread.
base::Result<FeatureTable> ReadFeatureTable(std::string_view body, const FeatureNames& names);

}  // namespace inferd::forest
