#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <string>

#include "base/status.h"

namespace inferd::ctl {

// Returns $XDG_CONFIG_HOME/inferctl.toml, or ~/.config/inferctl.toml. Empty if neither variable is set.
std::string DefaultSettingsFile();

// Completes a parsed command line. A missing option of `app` itself (not of a subcommand) is taken from the
// environment, or else from the settings file. For --ca-file, the variable is INFERCTL_CA_FILE, and the name in the
// file is ca-file. The file has a line NAME = VALUE per option (TOML). --token and --token-file are one setting: if one
// of them is given, the other is not looked up further.
//
// `file` is read unless it is empty. A missing file is an error only if `required`. Warns on `err` about a token in a
// file that any user can read. INVALID_ARGUMENT, with the variable or the file, for a value that the option refuses, or
// an unknown option.
base::Status ApplySettings(CLI::App& app, const std::string& file, bool required, std::ostream& err);

// Writes a warning if any user of the machine can read the file.
void WarnIfReadableByAnyone(const std::string& file, std::ostream& err);

}  // namespace inferd::ctl
