#include "config/model_config_parser.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/util/json_util.h>

#include "config/model_config_message.h"

namespace inferd::config {
namespace {

using google::protobuf::TextFormat;

constexpr size_t kErrorsMax = 10;

// Keeps what protobuf's text parser has to say, as compilers print it.
class ErrorLines final : public google::protobuf::io::ErrorCollector {
 public:
  explicit ErrorLines(std::string_view file) : file_(file) {}

  // Lines and columns come counted from 0; -1: the whole text.
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (++count_ > kErrorsMax) return;
    if (!lines_.empty()) lines_ += '\n';
    lines_ += Problem{"", message, file_, line + 1, column + 1}.ToString();
  }
  void AddWarning(int, google::protobuf::io::ColumnNumber, const std::string&) override {}

  base::Status ToStatus() const {
    return base::InvalidArgument(lines_.empty() ? file_ + ": not a model configuration" : lines_);
  }

 private:
  std::string file_;
  std::string lines_;
  size_t count_ = 0;
};

base::Status CheckSize(std::string_view text, std::string_view what) {
  if (text.size() <= kModelConfigBytesMax) return base::OkStatus();
  return base::InvalidArgument(std::string(what) + ": a model configuration may have " +
                               std::to_string(kModelConfigBytesMax) + " bytes, got " + std::to_string(text.size()));
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
  ErrorLines errors(file_name);
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(places.get());
  parser.SetRecursionLimit(kModelConfigDepthMax);
  if (!parser.ParseFromString(std::string(text), &message->proto)) return std::unexpected(errors.ToStatus());
  message->places = std::move(places);
  FoldTags(message->proto);
  return FromMessage(std::move(message));
}

base::Result<ModelConfig> ModelConfigFromJson(std::string_view json) {
  INFERD_RETURN_IF_ERROR(CheckSize(json, "config"));
  auto message = std::make_unique<ModelConfigDocument::Message>();
  google::protobuf::util::JsonParseOptions options;
  options.case_insensitive_enum_parsing = true;
  const auto status = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(json.data(), json.size()), &message->proto, options);
  if (!status.ok()) return std::unexpected(base::InvalidArgument("model configuration: " + status.message().ToString()));
  FoldTags(message->proto);
  return FromMessage(std::move(message));
}

}  // namespace inferd::config
