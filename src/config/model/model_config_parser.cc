#include "config/model/model_config_parser.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <map>

#include "base/text/utf8.h"
#include "config/model/model_config_place.h"
#include "config/model/text_format.h"
#include "data/json/reader.h"
#include "data/json/text.h"

namespace inferd::config {
namespace {

using google::protobuf::TextFormat;

base::Status CheckSize(std::string_view text, std::string_view what) {
  if (text.size() <= kModelConfigBytesMax) return base::OkStatus();
  return base::InvalidArgument(std::string(what) + ": a model configuration may have " +
                               std::to_string(kModelConfigBytesMax) + " bytes, got " + std::to_string(text.size()));
}

// Finds strings that are not UTF-8, which proto3 forbids and the text parser does not detect. Map entries are messages.
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
        if (!base::IsUtf8(text)) problems.push_back(place.At(field->name(), index, "is not UTF-8"));
      }
    }
  }
}

// Returns how many entries of any step's input_map take the tensor.
int64_t CountTakers(const inference::ModelConfig& config, const std::string& tensor) {
  int64_t takers = 0;
  for (const auto& step : config.ensemble_scheduling().step()) {
    const auto* field = step.GetDescriptor()->FindFieldByName("input_map");
    for (int i = 0; i < step.GetReflection()->FieldSize(step, field); ++i) {
      const auto& entry = step.GetReflection()->GetRepeatedMessage(step, field, i);
      takers += entry.GetReflection()->GetString(entry, field->message_type()->map_value()) == tensor ? 1 : 0;
    }
  }
  return takers;
}

// Returns what Triton says of a repeated key. It keeps the last entry, which may leave the first one's tensor unused.
std::string InTritonsWords(const inference::ModelConfig& config, const std::string& map, const std::string& tensor) {
  const auto is_tensor = [&](const auto& end) { return end.name() == tensor; };
  if (map != "input_map" || config.name().empty() || std::ranges::any_of(config.input(), is_tensor) ||
      std::ranges::any_of(config.output(), is_tensor) || CountTakers(config, tensor) > 1) {
    return "";
  }
  return ". Without the first, ensemble tensor '" + tensor + "' is unused in ensemble '" + config.name() + "'";
}

// Finds keys that occur repeatedly in one map of a step, with different tensors. The map would keep the last, and the
// mistake would show at another step, if at all. Only a freshly parsed message still has all of them.
void FindRepeatedKeys(const inference::ModelConfig& config, const std::string& map, int number, const Place& place,
                      std::vector<Problem>& problems) {
  const google::protobuf::Message& step = config.ensemble_scheduling().step(number);
  const auto* reflection = step.GetReflection();
  const auto* field = step.GetDescriptor()->FindFieldByName(map);
  std::map<std::string, std::string> tensors;
  for (int i = 0; i < reflection->FieldSize(step, field); ++i) {
    const auto& entry = reflection->GetRepeatedMessage(step, field, i);
    const auto text = [&](const auto* part) { return entry.GetReflection()->GetString(entry, part); };
    const std::string tensor = text(field->message_type()->map_value());
    const auto [known, is_new] = tensors.try_emplace(text(field->message_type()->map_key()), tensor);
    if (is_new || known->second == tensor) continue;
    problems.push_back(place.At(map, i,
                                "'" + known->first + "' is given twice in the " + map + " of step " +
                                    std::to_string(number) + ", with ensemble tensors '" + known->second + "' and '" +
                                    tensor + "': name one, which any number of steps may take" +
                                    InTritonsWords(config, map, known->second)));
  }
}

void FindRepeatedKeys(const inference::ModelConfig& config, const Place& place, std::vector<Problem>& problems) {
  const auto& steps = config.ensemble_scheduling().step();
  for (int i = 0; i < steps.size(); ++i) {
    const Place inside = place.In("ensemble_scheduling").In("step", i);
    for (const char* const map : {"input_map", "output_map"}) FindRepeatedKeys(config, map, i, inside, problems);
  }
}

// Refuses text that protobuf's JSON parser accepts: single quotes, unquoted and repeated keys.
base::Status CheckJson(std::string_view text) {
  json::Reader reader(text);
  INFERD_RETURN_IF_ERROR(reader.SkipValue());
  return reader.Finish();
}

// Moves `tags`, the name of metric_tags in 2018.
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
  INFERD_RETURN_IF_ERROR(ParseTextFormat(text, file_name, message->proto, *places));
  message->places = std::move(places);
  std::vector<Problem> problems;
  FindBadStrings(message->proto, Place(*message), problems);
  FindRepeatedKeys(message->proto, Place(*message), problems);
  INFERD_RETURN_IF_ERROR(ToStatus(problems));
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
