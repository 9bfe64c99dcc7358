#include "protocols/mlflow_http/codec/column_inputs.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/text/ascii_case.h"
#include "data/json/text.h"
#include "data/json/writer.h"
#include "protocols/mlflow_http/codec/faults.h"

namespace inferd::mlflow_http {

namespace {

using tensor::DataType;
using tensor::Shape;

constexpr std::string_view kMissing = "NaN ";  // with a byte after the number
// The limit on missing values: they need memory without any byte in the body.
constexpr size_t kMissingMin = size_t{1} << 20;

// pandas's texts for missing values in a CSV file.
constexpr std::string_view kMissingTexts[] = {"",     "#N/A",   "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "-NaN",
                                              "-nan", "1.#IND", "1.#QNAN",  "<NA>", "N/A",     "NA",       "NULL",
                                              "NaN",  "None",   "n/a",      "nan",  "null"};

bool IsMissing(std::string_view text) { return std::ranges::find(kMissingTexts, text) != std::end(kMissingTexts); }

bool IsFloat(DataType type) {
  return type == DataType::kFp16 || type == DataType::kFp32 || type == DataType::kFp64 || type == DataType::kBf16;
}

// Returns pandas's type for a JSON value.
std::string_view GivenType(std::string_view text) {
  if (text.empty() || text[0] == '"' || text[0] == '{' || text[0] == '[') return "object";
  if (text[0] == 't' || text[0] == 'f') return "bool";
  const json::ScannedNumber number = json::ScanNumber(text.data(), text.data() + text.size());
  return number.end != nullptr && number.integer ? "int64" : "float64";
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && json::IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && json::IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// Converts a CSV number to JSON: JSON does not allow "+1", ".5", "007" and "1.". Empty if it is not a number.
std::string NumberText(std::string_view text) {
  text = Trimmed(text);
  const char* const end = text.data() + text.size();
  if (json::ScanNumber(text.data(), end).end == end && !text.empty()) return std::string(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  int64_t integer = 0;
  if (const auto read = std::from_chars(text.data(), end, integer); read.ec == std::errc() && read.ptr == end) {
    return std::to_string(integer);
  }
  double value = 0;
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return {};
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  char digits[32];
  const auto written = std::to_chars(digits, digits + sizeof digits, value);
  return std::string(digits, written.ptr);
}

std::string BoolText(std::string_view text) {
  text = Trimmed(text);
  for (const std::string_view word : {"true", "false"}) {
    if (base::EqualWithoutCase(text, word)) return std::string(word);
  }
  return {};
}

}  // namespace

ColumnInputs::ColumnInputs(const core::ModelSignature& signature, std::string_view data)
    : signature_(signature), data_(data), whole_(signature.inputs.size()) {
  parsers_.reserve(signature.inputs.size());
  for (const core::TensorSpec& input : signature.inputs)
    parsers_.push_back(std::make_unique<tensorjson::NestedParser>(input.datatype));
}

base::Status ColumnInputs::Fault(std::string_view what) const { return SchemaFault(data_, signature_, what); }

int ColumnInputs::LoneInput() const {
  const auto& inputs = signature_.inputs;
  if (inputs.size() == 1) return 0;
  const auto required = [](const core::TensorSpec& input) { return !input.optional; };
  if (std::ranges::count_if(inputs, required) != 1) return kIgnored;
  return static_cast<int>(std::ranges::find_if(inputs, required) - inputs.begin());
}

base::Status ColumnInputs::BindNamed(std::span<const std::string> columns) {
  INFERD_RETURN_IF_ERROR(MatchNamed(columns));
  NoteTakenColumns();
  return {};
}

base::Status ColumnInputs::BindUnnamed(size_t columns) {
  INFERD_RETURN_IF_ERROR(MatchUnnamed(columns));
  NoteTakenColumns();
  return {};
}

base::Status ColumnInputs::MatchNamed(std::span<const std::string> columns) {
  if (columns.empty()) return InputFault("The table has no columns");
  const auto& inputs = signature_.inputs;
  std::unordered_map<std::string_view, int> by_name;
  for (size_t i = 0; i < inputs.size(); ++i) by_name.emplace(inputs[i].name, static_cast<int>(i));
  names_.assign(columns.begin(), columns.end());
  std::vector<bool> bound(inputs.size());
  bool any = false;
  for (const std::string& column : columns) {
    const auto found = by_name.find(column);
    int input = found == by_name.end() ? kIgnored : found->second;
    if (input != kIgnored) {
      if (bound[static_cast<size_t>(input)]) return InputFault("The column '" + column + "' is there twice");
      bound[static_cast<size_t>(input)] = any = true;
    }
    inputs_.push_back(input);
  }
  if (!any && LoneInput() != kIgnored) {
    const core::TensorSpec& lone = inputs[static_cast<size_t>(LoneInput())];
    if (lone.shape.rank() == 2 || lone.any_shape) {
      matrix_ = LoneInput();
      columns_ = columns.size();
      return {};
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!bound[i] && !inputs[i].optional) return CheckPresent(columns);
  }
  return {};
}

base::Status ColumnInputs::MatchUnnamed(size_t columns) {
  if (columns == 0) return InputFault("The table has no columns");
  const auto& inputs = signature_.inputs;
  if (const int lone = LoneInput(); lone != kIgnored) {
    const core::TensorSpec& spec = inputs[static_cast<size_t>(lone)];
    const bool one_column = columns == 1 && spec.shape.rank() == 1 && !spec.any_shape;
    if (one_column) inputs_ = {lone};
    if (!one_column) matrix_ = lone;
    columns_ = columns;
    return {};
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].name == "input-" + std::to_string(i)) continue;
    std::vector<std::string> numbers;
    for (size_t n = 0; n < std::min<size_t>(columns, 1024); ++n) numbers.push_back(std::to_string(n));
    return CheckPresent(numbers);
  }
  if (columns < inputs.size()) {
    return Fault("Model inference is missing inputs. The model signature declares " + std::to_string(inputs.size()) +
                 " inputs  but the provided value only has " + std::to_string(columns) +
                 " inputs. Note: the inputs were not named in the signature so we can only verify their count.");
  }
  for (size_t i = 0; i < columns; ++i) inputs_.push_back(i < inputs.size() ? static_cast<int>(i) : kIgnored);
  return {};
}

void ColumnInputs::NoteTakenColumns() {
  const size_t columns = is_matrix() ? columns_ : inputs_.size();
  for (size_t i = 0; i < columns; ++i) {
    if (InputOf(i) != kIgnored) taken_columns_.push_back(i);
  }
}

base::Status ColumnInputs::CheckPresent(std::span<const std::string> names) const {
  // Sorted instead of hashed: a client could choose colliding names.
  std::vector<std::string_view> given(names.begin(), names.end());
  std::ranges::sort(given);
  std::unordered_set<std::string_view> known;
  std::vector<std::string_view> missing;
  std::vector<std::string_view> extra;
  for (const core::TensorSpec& input : signature_.inputs) {
    known.insert(input.name);
    if (!input.optional && !std::ranges::binary_search(given, std::string_view(input.name))) {
      missing.push_back(input.name);
    }
  }
  if (missing.empty()) return {};
  for (const std::string& name : names) {
    if (!known.contains(name)) extra.push_back(name);
  }
  std::string what = "Model is missing inputs " + QuoteNames(missing) + ".";
  if (!extra.empty()) what += " Note that there were extra inputs: " + QuoteNames(extra) + ".";
  return Fault(what);
}

std::string ColumnInputs::NameOf(size_t column) const {
  return column < names_.size() ? names_[column] : std::to_string(column);
}

base::Status ColumnInputs::Incompatible(std::string_view name, const core::TensorSpec& spec,
                                        std::string_view text) const {
  return Fault("Incompatible input types for column " + std::string(name) + ". Can not safely convert " +
               std::string(GivenType(text)) + " to " + std::string(NumpyName(spec.datatype)) + ".");
}

base::Result<size_t> ColumnInputs::Parse(size_t input, std::string_view name, std::string_view text) {
  auto read = parsers_[input]->Add(text);
  if (read.has_value()) return read;
  if (read.error().code() == base::StatusCode::kResourceExhausted) return read;
  const std::string_view value = Trimmed(text.substr(0, std::min<size_t>(text.size(), 64)));
  if (!value.starts_with('[') && parsers_[input]->shape().rank() == 0) {
    return std::unexpected(Incompatible(name, signature_.inputs[input], value));
  }
  return std::unexpected(
      Fault("Incompatible input types for column " + std::string(name) + ". " + read.error().message()));
}

base::Result<size_t> ColumnInputs::AddCell(size_t column, std::string_view text) {
  constexpr std::string_view kNull = "null";
  if (text.starts_with(kNull)) {
    INFERD_RETURN_IF_ERROR(AddMissing(column));
    return kNull.size();
  }
  return Parse(static_cast<size_t>(InputOf(column)), NameOf(column), text);
}

base::Status ColumnInputs::AddMissing(size_t column) {
  const core::TensorSpec& spec = SpecOf(column);
  if (!IsFloat(spec.datatype)) {
    return Fault("Incompatible input types for column " + NameOf(column) +
                 ". Can not safely convert a missing value to " + std::string(NumpyName(spec.datatype)) + ".");
  }
  if (++missing_ > std::max(kMissingMin, data_.size())) {
    return InputFault("More values are missing in the table than it has bytes");
  }
  const auto added = Parse(static_cast<size_t>(InputOf(column)), NameOf(column), kMissing);
  return added.has_value() ? base::OkStatus() : added.error();
}

base::Status ColumnInputs::AddCsvCell(size_t column, std::string_view text) {
  const core::TensorSpec& spec = SpecOf(column);
  std::string json;
  if (spec.datatype == DataType::kBytes) {
    json::Writer writer(text.size() + 16);
    writer.String(text);
    json = writer.TakeString();
  } else if (IsMissing(Trimmed(text))) {
    return AddMissing(column);
  } else {
    json = spec.datatype == DataType::kBool ? BoolText(text) : NumberText(text);
    if (json.empty()) return Incompatible(NameOf(column), spec, "\"");
  }
  const auto added = Parse(static_cast<size_t>(InputOf(column)), NameOf(column), json + " ");
  return added.has_value() ? base::OkStatus() : added.error();
}

base::Result<size_t> ColumnInputs::AddTensor(size_t input, std::string_view text) {
  whole_[input] = true;
  return Parse(input, signature_.inputs[input].name, text);
}

bool ColumnInputs::AddMatrix(std::string_view text) {
  const auto input = static_cast<size_t>(matrix_);
  auto parser = std::make_unique<tensorjson::NestedParser>(signature_.inputs[input].datatype);
  const auto read = parser->Add(text);
  const tensor::Shape& shape = parser->shape();
  if (!read.has_value() || shape.rank() < 2 || shape[0] == 0 || shape[1] != static_cast<int64_t>(columns_))
    return false;
  parsers_[input] = std::move(parser);
  whole_[input] = true;
  return true;
}

Shape ColumnInputs::GivenShape(size_t input) const {
  const tensorjson::NestedParser& parser = *parsers_[input];
  Shape shape = parser.shape();
  if (whole_[input]) return shape;
  if (is_matrix()) shape.Prepend(static_cast<int64_t>(columns_));
  shape.Prepend(static_cast<int64_t>(is_matrix() ? parser.count() / columns_ : parser.count()));
  return shape;
}

// A column of single values is [rows] or [rows, 1], as the model declares it; a scalar is one row.
Shape ColumnInputs::Fitted(size_t input, const Shape& given) const {
  const core::TensorSpec& spec = signature_.inputs[input];
  const size_t wanted = spec.shape.rank();
  if (spec.any_shape || given.rank() == wanted) return given;
  Shape fitted = given;
  if (given.rank() == 0 && wanted <= 2) fitted.Append(1);
  if (fitted.rank() + 1 == wanted && spec.shape[wanted - 1] == 1) fitted.Append(1);
  if (fitted.rank() == wanted + 1 && wanted > 0 && fitted[wanted] == 1) return Shape(fitted.dims().first(wanted));
  return fitted;
}

base::Status ColumnInputs::TakeTensors(core::InferRequest& request) {
  for (size_t i = 0; i < parsers_.size(); ++i) {
    const core::TensorSpec& spec = signature_.inputs[i];
    if (parsers_[i]->count() == 0) {
      if (spec.optional) continue;
      return Fault("Model is missing inputs ['" + spec.name + "'].");
    }
    core::InferTensor& tensor = request.inputs.emplace_back();
    tensor.name = spec.name;
    tensor.datatype = spec.datatype;
    if (parsers_[i]->shape().rank() + 2 > tensor::kRankMax) return Fault("There are too many dimensions.");
    tensor.shape = Fitted(i, GivenShape(i));
    if (!spec.any_shape && !tensor::Matches(spec.shape, tensor.shape)) {
      return Fault("Shape of input " + TupleText(tensor.shape) + " does not match expected shape " +
                   TupleText(spec.shape) + ".");
    }
    tensor.data = base::BufferSlice(parsers_[i]->Take());
  }
  return {};
}

}  // namespace inferd::mlflow_http
