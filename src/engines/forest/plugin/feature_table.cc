#include "engines/forest/plugin/feature_table.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/text/printable.h"
#include "data/json/read.h"

namespace inferd::forest {
namespace {

using base::InvalidArgument;
using json::ValueType;

constexpr size_t kNamesShown = 5;
constexpr size_t kNameBytesShown = 64;
// A table may have so many numbers, and one more for each byte of its body.
constexpr size_t kNumbersAlways = 1 << 22;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::string Quoted(std::string_view name) { return "'" + base::Printable(name, kNameBytesShown) + "'"; }

// The values of one feature in an object, and the labels of their rows if it has any.
struct Column {
  std::vector<double> values;
  std::vector<std::string> labels;
};

class TableReader final {
 public:
  TableReader(std::string_view body, const FeatureNames& names)
      : reader_(body, {.nonfinite_tokens = true}), names_(names), numbers_max_(kNumbersAlways + body.size()) {}

  base::Result<FeatureTable> Read() {
    bool found = false;
    INFERD_RETURN_IF_ERROR(json::ReadObject(reader_, [&](std::string_view key) -> base::Status {
      if (found || (key != "instances" && key != "inputs")) return reader_.SkipValue();
      found = true;
      INFERD_ASSIGN_OR_RETURN(const ValueType type, reader_.Peek());
      if (key == "inputs" && type == ValueType::kObject) {
        table_.by_column = true;
        return ReadNamed();
      }
      return ReadRows(0);
    }));
    INFERD_RETURN_IF_ERROR(reader_.Finish());
    if (table_.rows == 0) return std::unexpected(InvalidArgument("the table has no rows"));
    return std::move(table_);
  }

 private:
  // Reads a list of elements. `depth` is the number of lists around it.
  base::Status ReadRows(int depth) {
    return json::ReadArray(reader_, [&] { return ReadElement(depth); });
  }

  base::Status ReadElement(int depth) {
    row_ = table_.rows;
    INFERD_ASSIGN_OR_RETURN(const ValueType type, reader_.Peek());
    if (type == ValueType::kObject) return ReadNamed();
    if (type != ValueType::kArray) return InvalidArgument(Row() + ": expected an object or a list of features");
    // A list of numbers is a row, any other list has rows.
    const std::string_view rest = reader_.Rest();
    const size_t first = rest.find_first_not_of(" \t\r\n", 1);
    const bool has_rows = first != std::string_view::npos && (rest[first] == '[' || rest[first] == '{');
    if (!has_rows) return ReadInOrder();
    if (depth > 0) return InvalidArgument(Row() + " has too many dimensions");
    return ReadRows(depth + 1);
  }

  base::Status ReadInOrder() {
    INFERD_RETURN_IF_ERROR(AddRows(1));
    const size_t begin = table_.values.size() - names_.count();
    size_t count = 0;
    INFERD_RETURN_IF_ERROR(json::ReadArray(reader_, [&]() -> base::Status {
      INFERD_ASSIGN_OR_RETURN(const double value, ReadValue(count));
      if (count < names_.count()) table_.values[begin + count] = value;
      ++count;
      return {};
    }));
    if (count == names_.count()) return {};
    return InvalidArgument(Row() + " has " + std::to_string(count) + " features, and the model takes " +
                           std::to_string(names_.count()));
  }

  base::Status ReadNamed() {
    std::optional<size_t> rows;
    size_t begin = 0;
    std::vector<std::string> labels;
    std::unordered_map<std::string_view, size_t> places;
    INFERD_RETURN_IF_ERROR(json::ReadObject(reader_, [&](std::string_view key) -> base::Status {
      const int64_t feature = names_.Find(key);
      if (feature < 0) return reader_.SkipValue();
      const std::string name = Quoted(key);
      INFERD_ASSIGN_OR_RETURN(Column column, ReadColumn(name));
      if (!rows.has_value()) {
        rows = column.values.size();
        begin = table_.values.size();
        INFERD_RETURN_IF_ERROR(AddRows(*rows));
        labels = std::move(column.labels);
        column.labels.clear();
      } else if (column.values.size() != *rows || column.labels.size() != labels.size()) {
        return InvalidArgument("feature " + name + " has " + std::to_string(column.values.size()) +
                               " values, and the features before it have " + std::to_string(*rows));
      }
      for (size_t i = 0; i < column.values.size(); ++i) {
        size_t row = i;
        if (!column.labels.empty() && column.labels[i] != labels[i]) {
          if (places.empty()) {
            for (size_t j = 0; j < labels.size(); ++j) places.emplace(labels[j], j);
          }
          const auto place = places.find(column.labels[i]);
          if (place == places.end()) {
            return InvalidArgument("feature " + name + " has a row " + Quoted(column.labels[i]) +
                                   " that the features before it lack");
          }
          row = place->second;
        }
        table_.values[begin + row * names_.count() + static_cast<size_t>(feature)] = column.values[i];
      }
      return {};
    }));
    if (rows.has_value()) return {};
    const std::string known = names_.Shown();
    return InvalidArgument(known.empty() ? "the model's file has no names of features: give rows as lists"
                                         : Row() + " names none of the model's features: " + known);
  }

  base::Result<Column> ReadColumn(const std::string& name) {
    Column column;
    const auto add = [&]() -> base::Status {
      INFERD_ASSIGN_OR_RETURN(const double value, ReadNumber(name));
      column.values.push_back(value);
      return {};
    };
    INFERD_ASSIGN_OR_RETURN(const ValueType type, reader_.Peek());
    if (type == ValueType::kArray) {
      INFERD_RETURN_IF_ERROR(json::ReadArray(reader_, add));
    } else if (type == ValueType::kObject) {
      INFERD_RETURN_IF_ERROR(json::ReadObject(reader_, [&](std::string_view label) {
        column.labels.emplace_back(label);
        return add();
      }));
    } else {
      INFERD_RETURN_IF_ERROR(add());
    }
    return column;
  }

  base::Result<double> ReadValue(size_t position) { return ReadNumber(std::to_string(position)); }

  base::Result<double> ReadNumber(const std::string& feature) {
    INFERD_ASSIGN_OR_RETURN(const ValueType type, reader_.Peek());
    switch (type) {
      case ValueType::kNumber: return reader_.ReadDouble();
      case ValueType::kBool: {
        INFERD_ASSIGN_OR_RETURN(const bool value, reader_.ReadBool());
        return value ? 1.0 : 0.0;
      }
      case ValueType::kNull: INFERD_RETURN_IF_ERROR(reader_.ReadNull()); return kMissing;
      default: return std::unexpected(InvalidArgument(Row() + ", feature " + feature + ": expected a number or null"));
    }
  }

  base::Status AddRows(size_t rows) {
    size_t numbers = 0;
    if (__builtin_mul_overflow(table_.rows + rows, names_.count(), &numbers) || numbers > numbers_max_) {
      return base::ResourceExhausted("the table has more than " + std::to_string(numbers_max_) +
                                     " values, absent ones included");
    }
    table_.rows += rows;
    table_.values.resize(numbers, kMissing);
    return {};
  }

  std::string Row() const { return "row " + std::to_string(row_); }

  json::Reader reader_;
  const FeatureNames& names_;
  const size_t numbers_max_;
  FeatureTable table_;
  size_t row_ = 0;  // the first row of the element that is being read
};

}  // namespace

FeatureNames::FeatureNames(const std::vector<std::string>& names, size_t count) : names_(names), count_(count) {
  for (size_t i = 0; i < names.size(); ++i) positions_.emplace(names[i], i);
}

int64_t FeatureNames::Find(std::string_view name) const {
  auto found = positions_.find(name);
  if (found == positions_.end() && name.contains(' ')) {
    std::string written(name);
    std::ranges::replace(written, ' ', '_');
    found = positions_.find(written);
  }
  return found == positions_.end() ? -1 : static_cast<int64_t>(found->second);
}

std::string FeatureNames::Shown() const {
  std::string text;
  for (size_t i = 0; i < std::min(names_.size(), kNamesShown); ++i) text += (i == 0 ? "" : ", ") + Quoted(names_[i]);
  if (names_.size() > kNamesShown) text += ", ...";
  return text;
}

base::Result<FeatureTable> ReadFeatureTable(std::string_view body, const FeatureNames& names) {
  return TableReader(body, names).Read();
}

}  // namespace inferd::forest
