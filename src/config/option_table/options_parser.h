#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "config/options/server_options.h"

namespace inferd::config {

// The sources of options. Precedence: flag, environment, file, the personality's defaults, our defaults. A list is
// taken as a whole from the first source that has it.
struct OptionSources {
  std::string program_name;  // argv[0]
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;  // all of it; only INFERD_* is used
};

OptionSources CommandLineSources(int argc, char** argv, char** environment);

enum class OptionAction { kServe, kHelp, kVersion };

struct ParsedOptions {
  OptionAction action = OptionAction::kServe;
  ServerOptions options;
  std::vector<std::string> warnings;  // to be logged: options that do not have the requested effect
  std::vector<std::string> notes;     // to be logged too: options that would have had no effect anyway
  bool show_usage = false;            // true if there were unknown arguments, which are ignored
};

// INVALID_ARGUMENT for unknown options (with the nearest valid name), invalid values, and contradictions. Reads the
// file that --config names.
base::Result<ParsedOptions> ParseServerOptions(const OptionSources& sources);

// Returns the process's exit status for invalid options.
int UsageExitStatus(const OptionSources& sources);

// Returns the text of --help for that personality, 100 columns wide.
std::string ServerOptionsHelp(const Personality& personality);

}  // namespace inferd::config
