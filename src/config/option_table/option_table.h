#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/options/server_options.h"

namespace inferd::config {

// One option, with one name everywhere: --http-port, INFERD_HTTP_PORT, and in the file `http-port: 8000` or `http:
// {port: 8000}`.
struct Option {
  std::string_view group;
  std::string_view name;
  std::string_view value_name;  // for the help; empty for a switch
  std::string_view help;
  bool repeated = false;
  char separator = ',';  // between several values in one environment variable
  // Sets one value; if `repeated`, adds one.
  base::Status (*set)(ServerOptions& options, std::string_view text) = nullptr;
  // Returns the current value in the form that `set` accepts; empty if there is none.
  std::string (*print)(ServerOptions& options) = nullptr;
};

// Returns every option except those that select the sources of options (--config, --as, --help, --version).
std::span<const Option> OptionTable();

const Option* FindOption(std::string_view name);

}  // namespace inferd::config
