#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text/digits.h"
#include "base/text/nearest_name.h"
#include "config/option_table/option_assignments.h"
#include "config/option_table/option_value.h"

namespace inferd::config {
namespace {

constexpr std::string_view kMetaNames[] = {"as", "config", "help", "version"};

// A flag with its value.
struct Flag {
  std::string name;
  std::string value;
  bool has_value = false;
};

Flag SplitFlag(std::string_view argument) {
  argument.remove_prefix(2);
  const size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return {std::string(argument), "", false};
  return {std::string(argument.substr(0, equals)), std::string(argument.substr(equals + 1)), true};
}

bool IsMeta(std::string_view name) { return std::ranges::find(kMetaNames, name) != std::end(kMetaNames); }

// Returns true if the flag may be used without a value.
bool IsSwitch(const PersonalityFlag* theirs, const Option* option) {
  return (theirs != nullptr && theirs->form == FlagForm::kBoolean) || (option != nullptr && option->value_name.empty());
}

// Looks up `value` in "a=b,c=d" or "a,b"; an entry without '=' maps to itself.
std::optional<std::string> MapValue(std::string_view values, std::string_view value) {
  while (!values.empty()) {
    const std::string_view entry = values.substr(0, values.find(','));
    const size_t equals = entry.find('=');
    if (entry == "*") return std::string(value);
    if (entry.substr(0, equals) == value) {
      return std::string(equals == std::string_view::npos ? entry : entry.substr(equals + 1));
    }
    values.remove_prefix(std::min(entry.size() + 1, values.size()));
  }
  return std::nullopt;
}

// Returns a value of another server's flag in a normalized spelling. Errors never quote the value, which may be a
// password.
base::Result<std::string> CheckForm(FlagForm form, const std::string& value) {
  switch (form) {
    case FlagForm::kText: return value;
    case FlagForm::kBoolean: {
      INFERD_ASSIGN_OR_RETURN(const bool truth, ParseBool(value));
      return truth ? "true" : "false";
    }
    case FlagForm::kInteger:
    case FlagForm::kNumber: {
      double number = 0;
      const char* const end = value.data() + value.size();
      const auto [parsed, error] = std::from_chars(value.data(), end, number, std::chars_format::fixed);
      const bool whole = value.find('.') == std::string::npos;
      if (error == std::errc() && parsed == end && std::isfinite(number) && (whole || form == FlagForm::kNumber)) {
        return value;
      }
      return std::unexpected(
          base::InvalidArgument(form == FlagForm::kNumber ? "expected a number" : "expected a whole number"));
    }
    case FlagForm::kSetting: break;
  }
  const size_t equals = value.find('=');
  if (equals != std::string::npos && equals > 0) return value;
  return std::unexpected(base::InvalidArgument("expected SETTING=VALUE"));
}

// Converts another server's flag to an option of ours, or to a log line.
base::Status Translate(const PersonalityFlag& theirs, const Flag& flag, Assignments& assignments) {
  const std::string origin = "--" + flag.name;
  if (theirs.combined) return base::OkStatus();
  const auto mapped = MapValue(theirs.values, flag.value);
  if (!theirs.option.empty()) {
    std::string value = mapped.value_or(flag.value);
    if (base::IsDigits(value)) value += theirs.unit;
    assignments.values.push_back({FindOption(theirs.option), std::move(value), origin});
    return base::OkStatus();
  }
  std::string line = origin;
  if (theirs.form == FlagForm::kBoolean) line += "=" + flag.value;
  line += " has no effect: " + std::string(theirs.help);
  auto& lines = mapped.has_value() ? assignments.notes : assignments.warnings;
  if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  return base::OkStatus();
}

base::Status Combine(const Personality& personality, const GivenFlags& given, Assignments& assignments) {
  if (personality.combine == nullptr) return base::OkStatus();
  INFERD_ASSIGN_OR_RETURN(CombinedFlags combined, personality.combine(given));
  for (CombinedFlags::Value& value : combined.values) {
    assignments.values.push_back({FindOption(value.option), std::move(value.value), std::move(value.origin)});
  }
  std::ranges::move(combined.warnings, std::back_inserter(assignments.warnings));
  return base::OkStatus();
}

// Returns true if the argument after a switch is its value. Any other argument is a file to serve, so only unmistakable
// values of our own switches count.
bool IsSwitchValue(const std::string& text, bool theirs) {
  return text == "true" || text == "false" || (theirs && ParseBool(text).has_value());
}

// Like tensorflow_model_server: shows the usage, and ignores the argument.
base::Status IgnoreUnknown(const std::string& argument, Assignments& assignments) {
  assignments.warnings.push_back("unknown argument: " + argument);
  assignments.show_usage = true;
  return base::OkStatus();
}

// Reads the flag at arguments[i], sets `i` to the last argument that belongs to it, and adds it to `given`.
base::Status ReadFlag(const std::vector<std::string>& arguments, size_t& i, const Personality& personality,
                      std::vector<GivenFlag>& given, Assignments& assignments) {
  Flag flag = SplitFlag(arguments[i]);
  const auto theirs_it = std::ranges::find(personality.flags, flag.name, &PersonalityFlag::name);
  const PersonalityFlag* theirs = theirs_it == personality.flags.end() ? nullptr : &*theirs_it;
  const Option* option = FindOption(theirs == nullptr ? flag.name : theirs->option);
  const bool meta = theirs == nullptr && IsMeta(flag.name);
  if (theirs == nullptr && option == nullptr && !meta) {
    if (personality.ignores_unknown_arguments) return IgnoreUnknown(arguments[i], assignments);
    return base::InvalidArgument("unknown option --" + flag.name + SuggestOption(flag.name, "--", personality));
  }
  const bool is_switch = meta ? flag.name == "help" || flag.name == "version" : IsSwitch(theirs, option);
  if (!flag.has_value) {
    const bool more = i + 1 < arguments.size();
    if (is_switch) {
      flag.value = more && IsSwitchValue(arguments[i + 1], theirs != nullptr) ? arguments[++i] : "true";
    } else if (!more) {
      return base::InvalidArgument("--" + flag.name + " needs a value");
    } else {
      flag.value = arguments[++i];
    }
  }
  if (meta) return base::OkStatus();
  if (theirs != nullptr) {
    auto value = CheckForm(theirs->form, flag.value);
    if (!value.has_value()) return value.error().WithContext("--" + flag.name);
    flag.value = *std::move(value);
  }
  given.push_back({.name = flag.name, .value = flag.value});
  if (theirs != nullptr) return Translate(*theirs, flag, assignments);
  assignments.values.push_back({option, flag.value, "--" + flag.name});
  return base::OkStatus();
}

}  // namespace

MetaOptions FindMetaOptions(const std::vector<std::string>& arguments) {
  MetaOptions meta;
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i] == "-h") meta.help = true;
    if (!arguments[i].starts_with("--")) continue;
    const Flag flag = SplitFlag(arguments[i]);
    const std::string value = flag.has_value ? flag.value : i + 1 < arguments.size() ? arguments[i + 1] : "";
    if (flag.name == "as") meta.as = value;
    if (flag.name == "config") meta.config_file = value;
    if (flag.name == "help") meta.help = true;
    if (flag.name == "version") meta.version = true;
  }
  return meta;
}

base::Result<Assignments> ReadArguments(const OptionSources& sources, const Personality& personality) {
  const std::vector<std::string>& arguments = sources.arguments;
  Assignments assignments;
  std::vector<GivenFlag> given;
  bool flags_end = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (!flags_end && argument == "--") {
      flags_end = true;
    } else if (!flags_end && argument.starts_with("--")) {
      INFERD_RETURN_IF_ERROR(ReadFlag(arguments, i, personality, given, assignments));
    } else if (personality.ignores_unknown_arguments) {
      (void)IgnoreUnknown(argument, assignments);
    } else if (!flags_end && argument.starts_with("-") && argument != "-h") {
      return std::unexpected(
          base::InvalidArgument("unknown option " + argument + SuggestOption(argument.substr(1), "--", personality)));
    } else if (argument != "-h") {
      assignments.values.push_back({FindOption("model-file"), argument, "'" + argument + "'"});
    }
  }
  INFERD_RETURN_IF_ERROR(Combine(personality, {.flags = given, .environment = sources.environment}, assignments));
  return assignments;
}

std::string SuggestOption(std::string_view name, std::string_view prefix, const Personality& personality) {
  // Suggests our name for another server's spelling.
  for (const Personality* other : Personalities()) {
    for (const PersonalityFlag& flag : other->flags) {
      if (flag.name != name || flag.option.empty() || flag.option == name) continue;
      return " (of " + std::string(other->name) + "; here it is '" + std::string(prefix) + std::string(flag.option) +
             "')";
    }
  }
  base::NearestName nearest(name);
  for (const PersonalityFlag& flag : personality.flags) {
    nearest.Offer(flag.name);
  }
  for (const Option& option : OptionTable()) nearest.Offer(option.name);
  for (const std::string_view meta : kMetaNames) nearest.Offer(meta);
  return nearest.Suggestion(prefix);
}

base::Result<Assignments> ReadDefaults(const Personality& personality) {
  Assignments assignments;
  for (const PersonalityDefault& item : personality.defaults) {
    assignments.values.push_back({FindOption(item.option), std::string(item.value), std::string(personality.name)});
  }
  return assignments;
}

}  // namespace inferd::config
