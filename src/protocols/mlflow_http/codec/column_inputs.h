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

// Collects the values of a table, or of tensors, into a model's inputs. A table's columns are inputs by their names,
// and others are ignored. If no column has the name of the model's only input, and that has two dimensions, the table's
// rows are its rows. Without names, columns are inputs by their order, if the inputs are called input-0, input-1 and so
// on.
//
// Errors are those of faults.h for data that does not fit the model, and RESOURCE_EXHAUSTED. After an error it may only
// be destroyed. Not thread-safe. The signature, and `data`, which errors quote, must outlive it.
class ColumnInputs final {
 public:
  static constexpr int kIgnored = -1;

  ColumnInputs(const core::ModelSignature& signature, std::string_view data);

  // Begins a table, before its values.
  base::Status BindNamed(std::span<const std::string> columns);
  base::Status BindUnnamed(size_t columns);

  // Returns the only input, or the only required one. kIgnored if there are several.
  int LoneInput() const;
  // For a bound table: true if its rows are those of one input.
  bool is_matrix() const { return matrix_ != kIgnored; }
  // Returns the input for the values of a column.
  int InputOf(size_t column) const { return is_matrix() ? matrix_ : inputs_[column]; }
  // Returns the columns that are not ignored, ascending. Work per row and column is done for these only: bodies may
  // have many of both, and cheaply cause a product of both.
  std::span<const size_t> taken_columns() const { return taken_columns_; }

  // Reads a row's value at the start of `text`, in JSON. Returns its size in bytes.
  base::Result<size_t> AddCell(size_t column, std::string_view text);
  // Adds a missing value, or null: NaN, if the datatype has it.
  base::Status AddMissing(size_t column);
  // Adds a value as CSV writes it.
  base::Status AddCsvCell(size_t column, std::string_view text);

  // Reads one whole input; otherwise like AddCell().
  base::Result<size_t> AddTensor(size_t input, std::string_view text);
  // Reads all rows of a matrix at once. Returns false, and takes nothing, if they are too complex for that.
  bool AddMatrix(std::string_view text);

  // INVALID_PARAMETER_VALUE if a required input is missing, or one has another shape than the model's.
  base::Status TakeTensors(core::InferRequest& request);
  // Returns the error for missing inputs; `names` are the present ones.
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
  std::vector<bool> whole_;  // by input: its value is the whole tensor, not a row
  std::vector<int> inputs_;  // by column
  std::vector<size_t> taken_columns_;
  std::vector<std::string> names_;  // by column; empty if they have none
  size_t columns_ = 0;              // columns of a matrix
  int matrix_ = kIgnored;           // the input whose rows are the table's
  size_t missing_ = 0;              // number of missing values
};

}  // namespace inferd::mlflow_http
