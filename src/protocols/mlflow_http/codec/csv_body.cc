#include "protocols/mlflow_http/codec/csv_body.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text/utf8.h"
#include "protocols/mlflow_http/codec/column_inputs.h"
#include "protocols/mlflow_http/codec/faults.h"

namespace inferd::mlflow_http {

namespace {

base::Status CsvFault(const std::string& why) {
  return base::InvalidArgument(
      "Failed to parse input as a Pandas DataFrame. Ensure that the input is a valid CSV-formatted Pandas DataFrame "
      "produced using the `pandas.DataFrame.to_csv()` method. Error: '" +
      why + "'");
}

// Reads the fields of a text, one after the other.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  size_t line() const { return line_; }

  // Skips empty lines.
  void SkipEmptyLines() {
    while (!rest_.empty() && (rest_.front() == '\n' || rest_.front() == '\r')) rest_.remove_prefix(1);
  }

  // Returns the next field of this line, and sets `last` at the line's end. A view into the text, or valid until the
  // next call.
  base::Result<std::string_view> Next(bool& last) {
    if (!rest_.starts_with('"')) {
      const std::string_view field = rest_.substr(0, rest_.find_first_of(",\r\n"));
      rest_.remove_prefix(field.size());
      last = TakeSeparator();
      return field;
    }
    INFERD_RETURN_IF_ERROR(ReadQuoted());
    last = TakeSeparator();
    return std::string_view(unquoted_);
  }

 private:
  // Reads the separator after a field. Returns true if the line ends here.
  bool TakeSeparator() {
    if (rest_.starts_with(',')) {
      rest_.remove_prefix(1);
      return false;
    }
    if (rest_.starts_with('\r')) rest_.remove_prefix(1);
    if (rest_.starts_with('\n')) rest_.remove_prefix(1);
    ++line_;
    return true;
  }

  base::Status ReadQuoted() {
    unquoted_.clear();
    rest_.remove_prefix(1);
    for (;;) {
      const size_t quote = rest_.find('"');
      if (quote == std::string_view::npos) {
        return CsvFault("EOF inside string starting at row " + std::to_string(line_ - 1));
      }
      unquoted_.append(rest_.substr(0, quote));
      rest_.remove_prefix(quote + 1);
      if (!rest_.starts_with('"')) break;
      unquoted_.push_back('"');
      rest_.remove_prefix(1);
    }
    // Text after the closing quote belongs to the field.
    const std::string_view behind = rest_.substr(0, rest_.find_first_of(",\r\n"));
    unquoted_.append(behind);
    rest_.remove_prefix(behind.size());
    return {};
  }

  std::string_view rest_;
  std::string unquoted_;
  size_t line_ = 1;
};

base::Result<std::vector<std::string>> ReadHeader(Fields& fields) {
  std::vector<std::string> names;
  fields.SkipEmptyLines();
  if (fields.at_end()) return std::unexpected(CsvFault("No columns to parse from file"));
  for (bool last = false; !last;) {
    INFERD_ASSIGN_OR_RETURN(const std::string_view name, fields.Next(last));
    names.emplace_back(name);
    if (names.size() > kCsvColumnsMax) {
      return std::unexpected(CsvFault("more than " + std::to_string(kCsvColumnsMax) + " columns"));
    }
  }
  return names;
}

base::Status ReadRow(Fields& fields, size_t columns, ColumnInputs& inputs) {
  const size_t line = fields.line();
  size_t column = 0;
  for (bool last = false; !last; ++column) {
    INFERD_ASSIGN_OR_RETURN(const std::string_view text, fields.Next(last));
    if (column >= columns) {
      return CsvFault("Error tokenizing data. Expected " + std::to_string(columns) + " fields in line " +
                      std::to_string(line) + ", saw more");
    }
    if (inputs.InputOf(column) != ColumnInputs::kIgnored) INFERD_RETURN_IF_ERROR(inputs.AddCsvCell(column, text));
  }
  const std::span<const size_t> taken = inputs.taken_columns();
  for (auto missing = std::ranges::lower_bound(taken, column); missing != taken.end(); ++missing) {
    INFERD_RETURN_IF_ERROR(inputs.AddMissing(*missing));
  }
  return {};
}

}  // namespace

base::Result<std::unique_ptr<core::InferRequest>> ReadCsvBody(std::string_view body,
                                                              const core::ModelSignature& signature) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (!base::IsUtf8(body)) return std::unexpected(InputFault("Ensure that input is a valid UTF-8 encoded string."));
  if (body.starts_with(kByteOrderMark)) body.remove_prefix(kByteOrderMark.size());
  auto request = std::make_unique<core::InferRequest>();
  Fields fields(body);
  INFERD_ASSIGN_OR_RETURN(const std::vector<std::string> names, ReadHeader(fields));
  if (signature.inputs.empty()) return request;
  ColumnInputs inputs(signature, body);
  INFERD_RETURN_IF_ERROR(inputs.BindNamed(names));
  size_t rows = 0;
  for (fields.SkipEmptyLines(); !fields.at_end(); fields.SkipEmptyLines(), ++rows) {
    INFERD_RETURN_IF_ERROR(ReadRow(fields, names.size(), inputs));
  }
  if (rows == 0) return std::unexpected(InputFault("The table has no rows"));
  INFERD_RETURN_IF_ERROR(inputs.TakeTensors(*request));
  return request;
}

}  // namespace inferd::mlflow_http
