#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/option_table/options_parser.h"

// Parsing of options in tests.

namespace inferd::config {

inline base::Result<ParsedOptions> Parse(std::vector<std::string> arguments,
                                         std::map<std::string, std::string> environment = {},
                                         std::string program = "inferd") {
  return ParseServerOptions({std::move(program), std::move(arguments), std::move(environment)});
}

// Returns the error; empty if the arguments are valid.
inline std::string ErrorOf(std::vector<std::string> arguments) {
  const auto parsed = Parse(std::move(arguments));
  return parsed.has_value() ? "" : parsed.error().message();
}

}  // namespace inferd::config
