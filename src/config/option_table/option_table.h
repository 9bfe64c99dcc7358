#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/options/server_options.h"

namespace inferd::config {

// One option, under one name everywhere: --http-port, INFERD_HTTP_PORT, and in the file `http-port: 8000` or
// `http: {port: 8000}`.
struct Option {
  std::string_view group;
  std::string_view name;
  std::string_view value_name;  // for the help; empty: a switch
  std::string_view help;
  bool repeated = false;
  char separator = ',';  // of several values in one environment variable
  // Sets one value; with `repeated`, adds one.
  base::Status (*set)(ServerOptions& options, std::string_view text) = nullptr;
  // The present value as `set` takes it; empty: none.
  std::string (*print)(ServerOptions& options) = nullptr;
};

// Every option but those that say where options come from (--config, --as, --help, --version).
std::span<const Option> OptionTable();

const Option* FindOption(std::string_view name);

}  // namespace inferd::config
