#include "config/model/text_format.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>

#include <array>
#include <optional>

#include "base/text/nearest_name.h"
#include "config/model/model_config_document.h"

namespace inferd::config {
namespace {

constexpr int kDepthMax = 32;
constexpr size_t kErrorsMax = 10;

// The parts of `Message type "inference.ModelInput" has no field named "datatype".`: "inference.ModelInput" and
// "datatype".
struct UnknownField {
  std::string type;
  std::string field;
};

std::optional<UnknownField> FindUnknownField(const std::string& message) {
  if (!message.starts_with("Message type")) return std::nullopt;
  std::array<size_t, 4> quotes;
  size_t at = std::string::npos;
  for (size_t& quote : quotes) {
    at = message.find('"', at + 1);
    if (at == std::string::npos) return std::nullopt;
    quote = at;
  }
  return UnknownField{message.substr(quotes[0] + 1, quotes[1] - quotes[0] - 1),
                      message.substr(quotes[2] + 1, quotes[3] - quotes[2] - 1)};
}

std::string SuggestField(const UnknownField& unknown) {
  const auto* type = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(unknown.type);
  if (type == nullptr) return "";
  base::NearestName nearest(unknown.field);
  for (int i = 0; i < type->field_count(); ++i) nearest.Offer(type->field(i)->name());
  return nearest.Suggestion();
}

// Collects the messages of protobuf's text parser, in the form of compilers' messages.
class ErrorLines final : public google::protobuf::io::ErrorCollector {
 public:
  ErrorLines(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  // Lines and columns are counted from 0; -1 means the whole text.
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (++count_ > kErrorsMax) return;
    std::string shown = message;
    if (const auto unknown = FindUnknownField(message); unknown.has_value()) {
      shown += SuggestField(*unknown);
      column = ColumnOf(unknown->field, line, column);
    }
    if (!lines_.empty()) lines_ += '\n';
    lines_ += Problem{"", std::move(shown), file_, line + 1, column + 1}.ToString();
  }
  void AddWarning(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    const auto unknown = FindUnknownField(message);
    if (!unknown.has_value() || unknown_.size() == kErrorsMax) return;
    const std::string shown = unknown->field + " has no effect";
    unknown_.push_back(Problem{"", shown, file_, line + 1, ColumnOf(unknown->field, line, column) + 1}.ToString());
  }

  const std::vector<std::string>& unknown() const { return unknown_; }

  base::Status ToStatus() const {
    return base::InvalidArgument(lines_.empty() ? file_ + ": not in protobuf's text format" : lines_);
  }

 private:
  // protobuf reports the end of the unknown field's name; people expect its start.
  int ColumnOf(const std::string& field, int line, int column) const {
    size_t begin = 0;
    for (; line > 0; --line) begin = text_.find('\n', begin) + 1;
    const size_t at = text_.substr(begin, static_cast<size_t>(std::max(column, 0))).rfind(field);
    return at == std::string_view::npos ? column : static_cast<int>(at);
  }

  std::string_view text_;
  std::string file_;
  std::string lines_;
  std::vector<std::string> unknown_;
  size_t count_ = 0;
};

base::Status Parse(google::protobuf::TextFormat::Parser& parser, std::string_view text, ErrorLines& errors,
                   google::protobuf::Message& message, google::protobuf::TextFormat::ParseInfoTree& places) {
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(&places);
  parser.SetRecursionLimit(kDepthMax);
  return parser.ParseFromString(std::string(text), &message) ? base::OkStatus() : errors.ToStatus();
}

}  // namespace

base::Status ParseTextFormat(std::string_view text, std::string_view file_name, google::protobuf::Message& message,
                             google::protobuf::TextFormat::ParseInfoTree& places) {
  ErrorLines errors(text, file_name);
  google::protobuf::TextFormat::Parser parser;
  return Parse(parser, text, errors, message, places);
}

base::Status ParseKnownFields(std::string_view text, std::string_view file_name, google::protobuf::Message& message,
                              google::protobuf::TextFormat::ParseInfoTree& places, std::vector<std::string>& unknown) {
  ErrorLines errors(text, file_name);
  google::protobuf::TextFormat::Parser parser;
  parser.AllowUnknownField(true);
  INFERD_RETURN_IF_ERROR(Parse(parser, text, errors, message, places));
  unknown.insert(unknown.end(), errors.unknown().begin(), errors.unknown().end());
  return base::OkStatus();
}

}  // namespace inferd::config
