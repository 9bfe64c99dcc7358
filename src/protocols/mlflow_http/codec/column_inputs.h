#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/tensorjson/nested_parser.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::mlflow_http {

// The values of a table, or of tensors, on their way into the inputs of a model. A table's columns are inputs by their
// names, others are left out; or all of them are the rows of the model's one input, where none has its name and that
// has two dimensions; without names they are inputs by their order, if those are called input-0, input-1 and so on.
//
// Errors are Faults' (faults.h): of data that do not fit the model, and RESOURCE_EXHAUSTED. After one it may only be
// destroyed. Not thread-safe; the signature and `data`, which errors quote, outlive it.
class ColumnInputs final {
 public:
  static constexpr int kIgnored = -1;

  ColumnInputs(const core::ModelSignature& signature, std::string_view data);

  // A table, before its values.
  base::Status BindNamed(std::span<const std::string> columns);
  base::Status BindUnnamed(size_t columns);

  // The one input that there is, or that has to be there; kIgnored: there are several.
  int LoneInput() const;
  // Of a table that is bound: whether its rows are those of one input.
  bool is_matrix() const { return matrix_ != kIgnored; }
  // Where the values of a column go.
  int InputOf(size_t column) const { return is_matrix() ? matrix_ : inputs_[column]; }
  // Those that are not ignored, ascending. Whatever is done for each row and column is done for these alone: bodies may
  // have many of both, and the product is no work that they pay for.
  std::span<const size_t> taken_columns() const { return taken_columns_; }

  // Reads the value of a row that `text` begins with, in JSON, and returns the bytes that it took.
  base::Result<size_t> AddCell(size_t column, std::string_view text);
  // A row has no value there, or null: NaN, where the datatype has it.
  base::Status AddMissing(size_t column);
  // Likewise as CSV writes it.
  base::Status AddCsvCell(size_t column, std::string_view text);

  // The whole of one input: the same as AddCell otherwise.
  base::Result<size_t> AddTensor(size_t input, std::string_view text);
  // All rows of a matrix at once. False: they are not as simple as that, and nothing was taken.
  bool AddMatrix(std::string_view text);

  // INVALID_PARAMETER_VALUE: an input that has to be there is not, or one has another shape than the model's.
  base::Status TakeTensors(core::InferRequest& request);
  // The error of inputs that are not there; `names` are what is.
  base::Status CheckPresent(std::span<const std::string> names) const;

 private:
  const core::TensorSpec& SpecOf(size_t column) const {
    return signature_.inputs[static_cast<size_t>(InputOf(column))];
  }
  std::string NameOf(size_t column) const;
  base::Status Incompatible(std::string_view name, const core::TensorSpec& spec, std::string_view text) const;
  base::Result<size_t> Parse(size_t input, std::string_view name, std::string_view text);
  base::Status MatchNamed(std::span<const std::string> columns);
  base::Status MatchUnnamed(size_t columns);
  void NoteTakenColumns();
  tensor::Shape Fitted(size_t input, const tensor::Shape& given) const;
  tensor::Shape GivenShape(size_t input) const;
  base::Status Fault(std::string_view what) const;

  const core::ModelSignature& signature_;
  const std::string_view data_;
  std::vector<std::unique_ptr<tensorjson::NestedParser>> parsers_;  // by input
  std::vector<bool> whole_;  // by input: its value is the tensor, and no row of it
  std::vector<int> inputs_;  // by column
  std::vector<size_t> taken_columns_;
  std::vector<std::string> names_;  // by column; empty: they have none
  size_t columns_ = 0;              // of a matrix
  int matrix_ = kIgnored;           // the input whose rows are the table's
  size_t missing_ = 0;              // values that were not there
};

}  // namespace inferd::mlflow_http
