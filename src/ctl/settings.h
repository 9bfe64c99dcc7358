#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <string>

#include "base/status.h"

namespace inferd::ctl {

// $XDG_CONFIG_HOME/inferctl.toml, or ~/.config/inferctl.toml; empty without either variable.
std::string DefaultSettingsFile();

// Completes a parsed command line: an option of `app` itself (not of a subcommand) that it left out takes the value
// that the environment has for it, or else the settings file. --ca-file is INFERCTL_CA_FILE in the environment and
// ca-file in the file, which has a line NAME = VALUE per option (TOML). --token and --token-file are one setting: where
// one of them is given, the other is not looked up further.
//
// `file` is read if it is not empty; one that is not there is an error only if `required`. Warns on `err` of a token in
// a file that any user can read. INVALID_ARGUMENT, naming variable or file: a value that the option refuses, an option
// that there is not.
base::Status ApplySettings(CLI::App& app, const std::string& file, bool required, std::ostream& err);

// Writes a warning if any user of the machine can read the file.
void WarnIfReadableByAnyone(const std::string& file, std::ostream& err);

}  // namespace inferd::ctl
