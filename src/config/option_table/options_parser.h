#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "config/options/server_options.h"

namespace inferd::config {

// Where options come from. Precedence: flag, environment, file, the personality's defaults, our defaults; a list comes
// whole from the first of them that has it.
struct OptionSources {
  std::string program_name;  // argv[0]
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;  // all of it; only INFERD_* counts
};

OptionSources CommandLineSources(int argc, char** argv, char** environment);

enum class OptionAction { kServe, kHelp, kVersion };

struct ParsedOptions {
  OptionAction action = OptionAction::kServe;
  ServerOptions options;
  std::vector<std::string> warnings;  // to be logged, of what has not the effect that it asks for
  std::vector<std::string> notes;     // to be logged too: it would have had none
  bool show_usage = false;            // there were arguments that nobody knows, which count for nothing
};

// INVALID_ARGUMENT for unknown options (with the nearest right name), values that do not fit, and contradictions. Reads
// the file that --config names.
base::Result<ParsedOptions> ParseServerOptions(const OptionSources& sources);

// What the process ends with where the options are wrong.
int UsageExitStatus(const OptionSources& sources);

// The text of --help for that personality, 100 columns wide.
std::string ServerOptionsHelp(const Personality& personality);

}  // namespace inferd::config
