#include "ctl/settings.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <sstream>
#include <utility>
#include <vector>

#include "base/system/regular_file.h"
#include "base/text/nearest_name.h"

namespace inferd::ctl {

namespace {

using base::Result;
using base::Status;

constexpr size_t kFileBytesMax = 64 << 10;

// A value for an option, and its source.
struct Setting {
  CLI::Option* option = nullptr;
  std::vector<std::string> values{};
  std::string place{};  // of the source, for errors: the variable, or the file
};

std::string Variable(std::string_view name) {
  const char* const value = std::getenv(std::string(name).c_str());
  return value == nullptr ? "" : value;
}

// Returns the options that may have a setting. Excludes options for the command line alone, such as --help.
std::vector<CLI::Option*> OptionsOf(CLI::App& app) {
  return app.get_options(
      [](CLI::Option* option) { return option->get_configurable() && !option->get_lnames().empty(); });
}

bool IsToken(const CLI::Option& option) { return option.check_lname("token") || option.check_lname("token-file"); }

std::string VariableOf(std::string_view option) {
  std::string variable = "INFERCTL_";
  for (const char c : option) variable += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return variable;
}

std::vector<Setting> FromEnvironment(CLI::App& app) {
  std::vector<Setting> settings;
  for (CLI::Option* option : OptionsOf(app)) {
    for (const std::string& name : option->get_lnames()) {
      const std::string variable = VariableOf(name);
      std::string value = Variable(variable);
      if (value.empty()) continue;
      settings.push_back({option, {std::move(value)}, variable});
      break;
    }
  }
  return settings;
}

// Finds an option. INVALID_ARGUMENT if there is none of that name.
Result<CLI::Option*> FindOption(CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (CLI::Option* option : OptionsOf(app)) {
    if (option->check_lname(name)) return option;
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  return std::unexpected(base::InvalidArgument("there is no option '" + name + "'" + base::SuggestName(name, names)));
}

Result<std::vector<Setting>> FromFile(CLI::App& app, const std::string& file, bool required) {
  const auto text = base::ReadRegularFile(file, kFileBytesMax);
  if (!text.has_value()) {
    if (text.error().code() == base::StatusCode::kNotFound && !required) return std::vector<Setting>();
    return std::unexpected(text.error());
  }
  std::istringstream stream(*text);
  CLI::ConfigTOML format;
  // With a comment character, '#' would also cut a quoted value. Lines that begin with '#' are comments anyway.
  format.comment('\0');
  std::vector<Setting> settings;
  for (const CLI::ConfigItem& item : format.from_config(stream)) {
    auto option = FindOption(app, item.parents.empty() ? item.name : "[" + item.parents.front() + "]");
    if (!option.has_value()) return std::unexpected(option.error().WithContext(file));
    // Repeated lines of an option, such as headers, arrive as several items.
    auto known = std::ranges::find(settings, *option, &Setting::option);
    if (known == settings.end()) known = settings.insert(known, Setting{*option, {}, file});
    known->values.insert(known->values.end(), item.inputs.begin(), item.inputs.end());
  }
  return settings;
}

// Sets the options that have no value yet. Returns those that it set.
Result<std::vector<const CLI::Option*>> Apply(CLI::App& app, const std::vector<Setting>& settings) {
  const auto options = OptionsOf(app);
  const bool token_known =
      std::ranges::any_of(options, [](const CLI::Option* option) { return IsToken(*option) && !option->empty(); });
  std::vector<const CLI::Option*> applied;
  for (const Setting& setting : settings) {
    CLI::Option& option = *setting.option;
    if (!option.empty() || (token_known && IsToken(option))) continue;
    try {
      option.add_result(setting.values);
      option.run_callback();
    } catch (const CLI::ParseError& error) {
      return std::unexpected(base::InvalidArgument(setting.place + ": " + error.what()));
    }
    applied.push_back(&option);
  }
  return applied;
}

}  // namespace

std::string DefaultSettingsFile() {
  std::string folder = Variable("XDG_CONFIG_HOME");
  if (const std::string home = Variable("HOME"); folder.empty() && !home.empty()) folder = home + "/.config";
  return folder.empty() ? "" : folder + "/inferctl.toml";
}

Status ApplySettings(CLI::App& app, const std::string& file, bool required, std::ostream& err) {
  if (const auto applied = Apply(app, FromEnvironment(app)); !applied.has_value()) return applied.error();
  if (file.empty()) return base::OkStatus();
  INFERD_ASSIGN_OR_RETURN(const std::vector<Setting> settings, FromFile(app, file, required));
  INFERD_ASSIGN_OR_RETURN(const auto applied, Apply(app, settings));
  if (std::ranges::any_of(applied, [](const CLI::Option* option) { return option->check_lname("token"); })) {
    WarnIfReadableByAnyone(file, err);
  }
  return base::OkStatus();
}

void WarnIfReadableByAnyone(const std::string& file, std::ostream& err) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0 || (status.st_mode & S_IROTH) == 0) return;
  err << "inferctl: warning: any user of this machine can read the token in " << file << ": chmod o-r " << file << "\n";
}

}  // namespace inferd::ctl
