#include <algorithm>

#include "config/option_table/option_table.h"
#include "config/option_table/options_parser.h"
#include "config/personality.h"

namespace inferd::config {
namespace {

constexpr size_t kWidth = 100;
constexpr size_t kTextColumn = 38;

// Appends a flag on the left, and its text, wrapped, on the right.
void AppendRow(std::string& out, const std::string& flag, std::string_view text) {
  std::string line = "  " + flag;
  if (line.size() + 2 > kTextColumn) {
    out += line + "\n";
    line.clear();
  }
  line.resize(kTextColumn, ' ');
  bool first = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (!first && line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line.assign(kTextColumn, ' ');
      first = true;
    }
    if (!first) line += ' ';
    line += word;
    first = false;
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  out += line + "\n";
}

std::string DefaultText(const Option& option, ServerOptions& defaults) {
  const std::string value = option.print(defaults);
  return value.empty() || option.repeated ? "" : " [" + value + "]";
}

void AppendOptions(std::string& out, ServerOptions& defaults) {
  std::string_view group;
  for (const Option& option : OptionTable()) {
    if (option.group != group) out += "\n" + std::string(option.group) + "\n";
    group = option.group;
    const bool off_by_giving = option.value_name.empty() && option.print(defaults) == "true";
    std::string flag = "--" + std::string(option.name);
    if (off_by_giving) flag += "=false";
    if (!option.value_name.empty()) flag += " " + std::string(option.value_name);
    AppendRow(out, flag,
              std::string(option.help) + (option.repeated ? " (may be repeated)" : "") + DefaultText(option, defaults));
  }
}

void AppendPersonality(std::string& out, const Personality& personality) {
  if (personality.flags.empty()) return;
  out += "\nFlags of " + std::string(personality.name) + "\n";
  std::string idle;
  for (const PersonalityFlag& flag : personality.flags) {
    if (!flag.option.empty() || flag.combined) {
      const std::string ours =
          flag.option == flag.name || flag.option.empty() ? "" : " (our --" + std::string(flag.option) + ")";
      AppendRow(out, "--" + std::string(flag.name), std::string(flag.help) + ours);
    } else {
      idle += (idle.empty() ? "" : ", ") + std::string(flag.name);
    }
  }
  AppendRow(out, "without effect", "accepted, and the log says why they have none: " + idle);
}

}  // namespace

std::string ServerOptionsHelp(const Personality& personality) {
  ServerOptions defaults;
  for (const PersonalityDefault& item : personality.defaults) {
    if (const Option* option = FindOption(item.option); option != nullptr) (void)option->set(defaults, item.value);
  }
  std::string out =
      "inferd [options] [model files]\n"
      "Serves machine-learning models to Predict V2 clients.\n"
      "\n"
      "  inferd model.onnx                    one model\n"
      "  inferd models/                       a folder of models, or of one model\n"
      "\n"
      "Every option is also an environment variable (--http-port is INFERD_HTTP_PORT) and a line of the\n"
      "file that --config names (http-port: 8000, or http: {port: 8000}). Flags win over the environment,\n"
      "it over the file. Defaults stand in brackets.\n";
  AppendPersonality(out, personality);
  AppendOptions(out, defaults);
  out += "\nOthers\n";
  AppendRow(out, "--config FILE", "a YAML file of options");
  AppendRow(out, "--as NAME",
            "take the flags, defaults and codes of another server: tritonserver, tensorflow_model_server, kserve or "
            "trtserver");
  AppendRow(out, "--version", "print the version");
  AppendRow(out, "--help", "print this");
  return out;
}

}  // namespace inferd::config
