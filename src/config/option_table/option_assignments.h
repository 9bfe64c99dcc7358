#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "config/option_table/option_table.h"
#include "config/option_table/options_parser.h"
#include "config/personality.h"

// From what a person wrote to (option, value) pairs, one reader per source.

namespace inferd::config {

// The longest file of options.
inline constexpr size_t kOptionsFileBytesMax = 1 << 20;

struct Assignment {
  const Option* option = nullptr;
  std::string value;
  std::string origin;  // "--http-port", "INFERD_HTTP_PORT", "inferd.yaml:3:7: http.port"
};

struct Assignments {
  std::vector<Assignment> values;
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // as warnings, of what makes no difference
  bool show_usage = false;
};

// The options that say where the others come from. Both `--as NAME` and `--as=NAME`.
struct MetaOptions {
  std::string as;
  std::string config_file;
  bool help = false;
  bool version = false;
};

MetaOptions FindMetaOptions(const std::vector<std::string>& arguments);

// Flags as --name=value and --name value; a switch alone means true. What is no flag is a model file; "--" ends the
// flags.
base::Result<Assignments> ReadArguments(const OptionSources& sources, const Personality& personality);

// INFERD_HTTP_PORT=8000; values of options that may be repeated are separated by commas, or by what Option::separator
// says. Unknown names are warnings, not errors: Kubernetes puts variables of its own under the names of services.
base::Result<Assignments> ReadEnvironment(const std::map<std::string, std::string>& environment);

// One YAML map; maps inside it join their names with '-'.
base::Result<Assignments> ReadOptionsFile(const std::string& path);

base::Result<Assignments> ReadDefaults(const Personality& personality);

// " (did you mean '--http-port'?)" or nothing.
std::string SuggestOption(std::string_view name, std::string_view prefix, const Personality& personality);

}  // namespace inferd::config
