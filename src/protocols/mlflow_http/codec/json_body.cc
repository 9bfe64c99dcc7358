#include "protocols/mlflow_http/codec/json_body.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/json/read.h"
#include "data/json/reader.h"
#include "protocols/mlflow_http/codec/column_inputs.h"
#include "protocols/mlflow_http/codec/faults.h"

namespace inferd::mlflow_http {

namespace {

using json::ValueType;

enum Form : size_t { kSplit, kRecords, kInstances, kInputs, kForms };
constexpr std::array<std::string_view, kForms> kFormNames = {"dataframe_split", "dataframe_records", "instances",
                                                             "inputs"};

// The members of a body, each as its JSON text: a view into it that was checked already.
struct Members {
  std::array<std::optional<std::string_view>, kForms> forms = {};
  std::optional<std::string_view> params = {};
  std::vector<std::string_view> names = {};  // of the present forms, in their order
};

json::ReaderOptions ReaderOptions(uint32_t depth_max) { return {.depth_max = depth_max, .nonfinite_tokens = true}; }

base::Result<Members> ReadMembers(std::string_view body, uint32_t depth_max) {
  Members members;
  json::Reader reader(body, ReaderOptions(depth_max));
  const auto type = reader.Peek();
  if (!type.has_value()) return std::unexpected(JsonFault(body, type.error()));
  if (*type != ValueType::kObject) {
    base::Status read = reader.SkipValue();
    if (read.ok()) read = reader.Finish();
    if (!read.ok()) return std::unexpected(JsonFault(body, read));
    return std::unexpected(InputFault(WantedForm(
        *type == ValueType::kArray ? "Received a list." : "Received unexpected input type, which is no dictionary.")));
  }
  base::Status read = json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    const auto* const form = std::ranges::find(kFormNames, key);
    if (form == kFormNames.end() && key != "params") return reader.SkipValue();
    INFERD_ASSIGN_OR_RETURN(const std::string_view raw, reader.ReadRaw());
    if (form == kFormNames.end()) {
      members.params = raw;
      return {};
    }
    members.forms[static_cast<size_t>(form - kFormNames.begin())] = raw;
    members.names.push_back(*form);
    return {};
  });
  if (read.ok()) read = reader.Finish();
  if (!read.ok()) return std::unexpected(JsonFault(body, read));
  return members;
}

// Reads a single JSON value, such as 2 or "a", as a column's name.
base::Result<std::string> ReadColumnName(json::Reader& reader) {
  INFERD_ASSIGN_OR_RETURN(const ValueType type, reader.Peek());
  if (type == ValueType::kString) {
    INFERD_ASSIGN_OR_RETURN(const std::string_view text, reader.ReadString());
    return std::string(text);
  }
  INFERD_ASSIGN_OR_RETURN(const std::string_view raw, reader.ReadRaw());
  return std::string(raw);
}

class BodyReader {
 public:
  BodyReader(std::string_view data, const core::ModelSignature& signature, uint32_t depth_max)
      : data_(data), depth_max_(depth_max), signature_(signature), inputs_(signature, data) {}

  base::Status Read(Form form, core::InferRequest& request) {
    if (signature_.inputs.empty()) return {};
    json::Reader reader(data_, ReaderOptions(depth_max_));
    INFERD_RETURN_IF_ERROR(ReadForm(form, reader));
    return inputs_.TakeTensors(request);
  }

 private:
  base::Status ReadForm(Form form, json::Reader& reader) {
    INFERD_ASSIGN_OR_RETURN(const ValueType type, reader.Peek());
    switch (form) {
      case kSplit: return type == ValueType::kObject ? ReadSplit(reader) : NoSplit(type);
      case kRecords: return type == ValueType::kArray ? ReadRecords(reader, /*whole=*/false) : NoRecords(type);
      case kInstances:
      case kInputs:
        if (type == ValueType::kObject) {
          if (form == kInputs) return ReadNamed(reader);
          return InputFault("Ensure that the input is a valid JSON-formatted string.\nError: 'instances' is no list");
        }
        if (BeginsWithObject()) return ReadRecords(reader, /*whole=*/form == kInstances);
        return ReadValues(reader);
      case kForms: break;
    }
    std::unreachable();
  }

  static std::string_view TypeName(ValueType type) {
    switch (type) {
      case ValueType::kObject: return "dictionary";
      case ValueType::kArray: return "list";
      case ValueType::kString: return "type <class 'str'>";
      case ValueType::kNumber: return "type of a number";
      case ValueType::kBool: return "type <class 'bool'>";
      case ValueType::kNull: return "type <class 'NoneType'>";
    }
    std::unreachable();
  }
  static base::Status NoSplit(ValueType type) {
    return InputFault("Dataframe split format must be a dictionary. Got " + std::string(TypeName(type)) + ".");
  }
  static base::Status NoRecords(ValueType type) {
    return InputFault("Dataframe records format must be a list of records. Got " + std::string(TypeName(type)) + ".");
  }
  static base::Status BadSplit(const std::string& why) {
    return InputFault(
        "Provided dataframe_split field is not a valid dataframe representation in 'split' format. "
        "Error: '" +
        why + "'");
  }
  static base::Status BadRecords(const std::string& why) {
    return InputFault(
        "Provided dataframe_records field is not a valid dataframe representation in 'records' format. "
        "Error: '" +
        why + "'");
  }

  // True for a list whose first element is an object.
  bool BeginsWithObject() const {
    const size_t at = data_.find_first_not_of("[ \n\r\t");
    return data_.starts_with('[') && at != std::string_view::npos && data_[at] == '{' && data_.find('[', 1) >= at;
  }

  // Reads a value of `column`, or skips it.
  base::Status ReadCell(json::Reader& reader, size_t column) {
    if (inputs_.InputOf(column) == ColumnInputs::kIgnored) return reader.SkipValue();
    INFERD_ASSIGN_OR_RETURN(const size_t bytes, inputs_.AddCell(column, reader.Rest()));
    reader.Advance(bytes);
    return {};
  }

  base::Status ReadSplit(json::Reader& reader) {
    std::optional<std::string_view> columns;
    std::optional<std::string_view> data;
    std::vector<std::string> keys;
    bool known = true;
    INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> base::Status {
      keys.emplace_back(key);
      INFERD_ASSIGN_OR_RETURN(const std::string_view raw, reader.ReadRaw());
      if (key == "columns") columns = raw;
      if (key == "data") data = raw;
      known &= key == "columns" || key == "data" || key == "index";
      return {};
    }));
    if (!data.has_value() || !known) {
      std::string got = QuoteNames(keys);
      if (keys.empty()) got = "set()";
      if (!keys.empty()) got.front() = '{', got.back() = '}';
      return InputFault(
          "Dataframe split format must have 'data' field and optionally 'columns' and 'index' fields. "
          "Got " +
          got + ".'");
    }
    if (columns == "null") columns.reset();
    return ReadTable(columns, *data);
  }

  base::Status ReadTable(std::optional<std::string_view> columns, std::string_view data) {
    if (!data.starts_with('[')) return BadSplit("'data' is no list of rows");
    size_t count = 0;
    if (columns.has_value()) {
      std::vector<std::string> names;
      json::Reader reader(*columns, ReaderOptions(depth_max_));
      if (!columns->starts_with('[')) return BadSplit("'columns' is no list of names");
      INFERD_RETURN_IF_ERROR(json::ReadArray(reader, [&]() -> base::Status {
        INFERD_ASSIGN_OR_RETURN(names.emplace_back(), ReadColumnName(reader));
        return {};
      }));
      count = names.size();
      INFERD_RETURN_IF_ERROR(inputs_.BindNamed(names));
    } else {
      INFERD_ASSIGN_OR_RETURN(count, CountFirstRow(data));
      INFERD_RETURN_IF_ERROR(inputs_.BindUnnamed(count));
    }
    return ReadRows(data, count);
  }

  // Counts the values of the first row of a table without names.
  base::Result<size_t> CountFirstRow(std::string_view data) const {
    json::Reader reader(data, ReaderOptions(depth_max_));
    INFERD_RETURN_IF_ERROR(reader.BeginArray());
    INFERD_ASSIGN_OR_RETURN(const bool any, reader.NextElement());
    if (!any) return std::unexpected(InputFault("The table has no rows"));
    INFERD_ASSIGN_OR_RETURN(const ValueType type, reader.Peek());
    if (type != ValueType::kArray) return 1;
    size_t count = 0;
    INFERD_RETURN_IF_ERROR(json::ReadArray(reader, [&] {
      ++count;
      return reader.SkipValue();
    }));
    return count;
  }

  base::Status ReadRows(std::string_view data, size_t columns) {
    // The text is inside an object, so that a byte follows it.
    if (inputs_.is_matrix() && inputs_.AddMatrix({data.data(), data.size() + 1})) return {};
    json::Reader reader(data, ReaderOptions(depth_max_));
    size_t rows = 0;
    INFERD_RETURN_IF_ERROR(json::ReadArray(reader, [&] { return ReadRow(reader, ++rows, columns); }));
    return rows > 0 ? base::OkStatus() : InputFault("The table has no rows");
  }

  base::Status ReadRow(json::Reader& reader, size_t rows, size_t columns) {
    INFERD_ASSIGN_OR_RETURN(const ValueType type, reader.Peek());
    if (type != ValueType::kArray) {
      if (columns == 1) return ReadCell(reader, 0);
      return BadSplit("Shape of passed values is (" + std::to_string(rows) + ", 1), indices imply (" +
                      std::to_string(rows) + ", " + std::to_string(columns) + ")");
    }
    size_t column = 0;
    INFERD_RETURN_IF_ERROR(json::ReadArray(
        reader, [&]() -> base::Status { return column < columns ? ReadCell(reader, column++) : TooLong(columns); }));
    if (column == columns) return {};
    return BadSplit(std::to_string(columns) + " columns passed, passed data had " + std::to_string(column) +
                    " columns");
  }
  static base::Status TooLong(size_t columns) {
    return BadSplit(std::to_string(columns) + " columns passed, passed data had more columns");
  }

  // Returns the keys of all records, in the order of occurrence. `whole`: each record has all of them.
  base::Result<std::vector<std::string>> ReadKeys(bool whole) {
    std::vector<std::string> names;
    // Not a hash table: a client could choose colliding names.
    std::map<std::string, size_t, std::less<>> counts;
    size_t records = 0;
    json::Reader reader(data_, ReaderOptions(depth_max_));
    INFERD_RETURN_IF_ERROR(json::ReadArray(reader, [&]() -> base::Status {
      ++records;
      INFERD_ASSIGN_OR_RETURN(const ValueType type, reader.Peek());
      if (type != ValueType::kObject) {
        return BadRecords("record " + std::to_string(records - 1) + " is no dictionary");
      }
      return json::ReadObject(reader, [&](std::string_view key) {
        const auto count = counts.find(key);
        if (count != counts.end()) {
          ++count->second;
        } else {
          counts.emplace(key, 1);
          names.emplace_back(key);
        }
        return reader.SkipValue();
      });
    }));
    if (records == 0) return std::unexpected(InputFault("The table has no rows"));
    for (const core::TensorSpec& input : signature_.inputs) {
      const auto found = counts.find(input.name);
      if (whole && found != counts.end() && found->second != records) {
        return std::unexpected(InputFault("The length of values for each input/column name are not the same"));
      }
    }
    return names;
  }

  base::Status ReadRecords(json::Reader& reader, bool whole) {
    INFERD_ASSIGN_OR_RETURN(const std::vector<std::string> names, ReadKeys(whole));
    INFERD_RETURN_IF_ERROR(inputs_.BindNamed(names));
    const std::span<const size_t> taken = inputs_.taken_columns();
    std::map<std::string_view, size_t> places;
    for (size_t i = 0; i < taken.size(); ++i) places.emplace(names[taken[i]], i);
    std::vector<std::string_view> cells(taken.size());  // of one record
    return json::ReadArray(reader, [&]() -> base::Status {
      INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> base::Status {
        const auto place = places.find(key);
        if (place == places.end()) return reader.SkipValue();
        INFERD_ASSIGN_OR_RETURN(cells[place->second], reader.ReadRaw());
        return {};
      }));
      for (size_t i = 0; i < taken.size(); ++i) {
        const std::string_view text = std::exchange(cells[i], {});
        if (text.empty()) {
          INFERD_RETURN_IF_ERROR(inputs_.AddMissing(taken[i]));
          continue;
        }
        // A record's end, or a comma, follows.
        const auto added = inputs_.AddCell(taken[i], {text.data(), text.size() + 1});
        if (!added.has_value()) return added.error();
      }
      return {};
    });
  }

  base::Status ReadNamed(json::Reader& reader) {
    std::vector<std::string> names;
    INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> base::Status {
      names.emplace_back(key);
      const int input = signature_.FindInput(key);
      if (input < 0) return reader.SkipValue();
      INFERD_ASSIGN_OR_RETURN(const size_t bytes, inputs_.AddTensor(static_cast<size_t>(input), reader.Rest()));
      reader.Advance(bytes);
      return {};
    }));
    return inputs_.CheckPresent(names);
  }

  base::Status ReadValues(json::Reader& reader) {
    const int lone = inputs_.LoneInput();
    if (lone == ColumnInputs::kIgnored) return ReadTable(std::nullopt, data_);
    // The object's end, or another member, follows.
    const auto read = inputs_.AddTensor(static_cast<size_t>(lone), {data_.data(), data_.size() + 1});
    static_cast<void>(reader);
    return read.has_value() ? base::OkStatus() : read.error();
  }

  const std::string_view data_;
  const uint32_t depth_max_;
  const core::ModelSignature& signature_;
  ColumnInputs inputs_;
};

base::Status ReadParams(std::string_view text, uint32_t depth_max, core::Parameters& parameters) {
  if (text == "null") return {};
  json::Reader reader(text, ReaderOptions(depth_max));
  INFERD_ASSIGN_OR_RETURN(const ValueType params, reader.Peek());
  if (params != ValueType::kObject) return InputFault("'params' must be a dictionary");
  return json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    std::string name(key);
    INFERD_ASSIGN_OR_RETURN(const ValueType type, reader.Peek());
    core::ParameterValue value;
    if (type == ValueType::kString) {
      INFERD_ASSIGN_OR_RETURN(const std::string_view given, reader.ReadString());
      value = std::string(given);
    } else if (type == ValueType::kBool) {
      INFERD_ASSIGN_OR_RETURN(value, reader.ReadBool());
    } else if (type == ValueType::kNumber) {
      INFERD_ASSIGN_OR_RETURN(const json::Number number, reader.ReadNumber());
      std::visit([&](const auto given) { value = given; }, number);
    } else {
      INFERD_ASSIGN_OR_RETURN(const std::string_view raw, reader.ReadRaw());
      value = std::string(raw);
    }
    parameters.emplace_back(std::move(name), std::move(value));
    return {};
  });
}

}  // namespace

base::Result<std::unique_ptr<core::InferRequest>> ReadJsonBody(std::string_view body,
                                                               const core::ModelSignature& signature,
                                                               uint32_t depth_max) {
  INFERD_ASSIGN_OR_RETURN(const Members members, ReadMembers(body, depth_max));
  if (members.names.size() != 1) {
    return std::unexpected(
        base::InvalidArgument(WantedForm("Received dictionary with input fields: " + QuoteNames(members.names) + ".")));
  }
  auto request = std::make_unique<core::InferRequest>();
  for (size_t form = 0; form < kForms; ++form) {
    if (!members.forms[form].has_value()) continue;
    BodyReader reader(*members.forms[form], signature, depth_max);
    INFERD_RETURN_IF_ERROR(reader.Read(static_cast<Form>(form), *request));
  }
  if (members.params.has_value()) INFERD_RETURN_IF_ERROR(ReadParams(*members.params, depth_max, request->parameters));
  return request;
}

}  // namespace inferd::mlflow_http
