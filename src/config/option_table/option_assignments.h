#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "config/option_table/option_table.h"
#include "config/option_table/options_parser.h"
#include "config/personality.h"

// Readers that convert a person's text to (option, value) pairs, one per source.

namespace inferd::config {

// The maximum size of a file of options.
inline constexpr size_t kOptionsFileBytesMax = 1 << 20;

struct Assignment {
  const Option* option = nullptr;
  std::string value;
  std::string origin;  // "--http-port", "INFERD_HTTP_PORT", "inferd.yaml:3:7: http.port"
};

struct Assignments {
  std::vector<Assignment> values;
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // to be logged as warnings, on options without an effect
  bool show_usage = false;
};

// The options that select the sources of the others. Both `--as NAME` and `--as=NAME` work.
struct MetaOptions {
  std::string as;
  std::string config_file;
  bool help = false;
  bool version = false;
};

MetaOptions FindMetaOptions(const std::vector<std::string>& arguments);

// Reads flags of the forms --name=value and --name value; a switch alone means true. Other arguments are model files;
// "--" ends the flags.
base::Result<Assignments> ReadArguments(const OptionSources& sources, const Personality& personality);

// Reads variables such as INFERD_HTTP_PORT=8000. Values of repeatable options are separated by commas, or by
// Option::separator. Unknown names are only warnings: Kubernetes sets variables of its own under the names of services.
base::Result<Assignments> ReadEnvironment(const std::map<std::string, std::string>& environment);

// Reads one YAML map; nested maps join their names with '-'.
base::Result<Assignments> ReadOptionsFile(const std::string& path);

base::Result<Assignments> ReadDefaults(const Personality& personality);

// Returns " (did you mean '--http-port'?)" or "".
std::string SuggestOption(std::string_view name, std::string_view prefix, const Personality& personality);

}  // namespace inferd::config
