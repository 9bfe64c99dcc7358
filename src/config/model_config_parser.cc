#include "config/model_config_parser.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/util/json_util.h>

#include "config/model_config_place.h"
#include "config/nearest_name.h"
#include "json/reader.h"
#include "json/text.h"

namespace inferd::config {
namespace {

using google::protobuf::TextFormat;

constexpr size_t kErrorsMax = 10;

// Of `Message type "inference.ModelInput" has no field named "datatype".`: "inference.ModelInput" and "datatype".
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
  NearestName nearest(unknown.field);
  for (int i = 0; i < type->field_count(); ++i) nearest.Offer(type->field(i)->name());
  return nearest.Suggestion();
}

// Keeps what protobuf's text parser has to say, as compilers print it.
class ErrorLines final : public google::protobuf::io::ErrorCollector {
 public:
  ErrorLines(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  // Lines and columns come counted from 0; -1: the whole text.
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
  void AddWarning(int, google::protobuf::io::ColumnNumber, const std::string&) override {}

  base::Status ToStatus() const {
    return base::InvalidArgument(lines_.empty() ? file_ + ": not a model configuration" : lines_);
  }

 private:
  // protobuf says where the unknown field's name ends; where it begins is what a person looks for.
  int ColumnOf(const std::string& field, int line, int column) const {
    size_t begin = 0;
    for (; line > 0; --line) begin = text_.find('\n', begin) + 1;
    const size_t at = text_.substr(begin, static_cast<size_t>(std::max(column, 0))).rfind(field);
    return at == std::string_view::npos ? column : static_cast<int>(at);
  }

  std::string_view text_;
  std::string file_;
  std::string lines_;
  size_t count_ = 0;
};

base::Status CheckSize(std::string_view text, std::string_view what) {
  if (text.size() <= kModelConfigBytesMax) return base::OkStatus();
  return base::InvalidArgument(std::string(what) + ": a model configuration may have " +
                               std::to_string(kModelConfigBytesMax) + " bytes, got " + std::to_string(text.size()));
}

// Strings that are not UTF-8, which proto3 does not allow and the text parser does not notice. Map entries are
// messages.
void FindBadStrings(const google::protobuf::Message& message, const Place& place, std::vector<Problem>& problems) {
  using google::protobuf::FieldDescriptor;
  const auto* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int size = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int i = 0; i < size; ++i) {
      const int index = field->is_repeated() ? i : -1;
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        const auto& nested =
            index < 0 ? reflection->GetMessage(message, field) : reflection->GetRepeatedMessage(message, field, i);
        FindBadStrings(nested, place.In(field->name(), index), problems);
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        const std::string text =
            index < 0 ? reflection->GetString(message, field) : reflection->GetRepeatedString(message, field, i);
        if (!json::IsUtf8(text)) problems.push_back(place.At(field->name(), index, "is not UTF-8"));
      }
    }
  }
}

// What protobuf's JSON parser lets pass: single quotes, unquoted and repeated keys.
base::Status CheckJson(std::string_view text) {
  json::Reader reader(text);
  INFERD_RETURN_IF_ERROR(reader.SkipValue());
  return reader.Finish();
}

// The name that metric_tags had in 2018.
void FoldTags(inference::ModelConfig& proto) {
  for (const auto& [key, value] : proto.tags()) proto.mutable_metric_tags()->insert({key, value});
  proto.clear_tags();
}

}  // namespace

base::Result<ModelConfig> ParseModelConfig(std::string_view text, std::string_view file_name) {
  INFERD_RETURN_IF_ERROR(CheckSize(text, file_name));
  auto message = std::make_unique<ModelConfigDocument::Message>();
  message->file = file_name;
  auto places = std::make_shared<TextFormat::ParseInfoTree>();
  ErrorLines errors(text, file_name);
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(places.get());
  parser.SetRecursionLimit(kModelConfigDepthMax);
  if (!parser.ParseFromString(std::string(text), &message->proto)) return std::unexpected(errors.ToStatus());
  message->places = std::move(places);
  std::vector<Problem> bad_strings;
  FindBadStrings(message->proto, Place(*message), bad_strings);
  INFERD_RETURN_IF_ERROR(ToStatus(bad_strings));
  FoldTags(message->proto);
  return FromMessage(std::move(message));
}

base::Result<ModelConfig> ModelConfigFromJson(std::string_view text) {
  INFERD_RETURN_IF_ERROR(CheckSize(text, "config"));
  INFERD_RETURN_IF_ERROR(CheckJson(text).WithContext("model configuration"));
  auto message = std::make_unique<ModelConfigDocument::Message>();
  google::protobuf::util::JsonParseOptions options;
  options.case_insensitive_enum_parsing = true;
  const auto status = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(text.data(), text.size()), &message->proto, options);
  if (!status.ok())
    return std::unexpected(base::InvalidArgument("model configuration: " + status.message().ToString()));
  FoldTags(message->proto);
  return FromMessage(std::move(message));
}

}  // namespace inferd::config
