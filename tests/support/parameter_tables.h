#pragma once

#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inferd/engine_abi.h"

// What tests of the parameters that an engine's models may have share.

namespace inferd::support {

// The names in the first column of a page's table whose first heading is that.
inline std::vector<std::string> DocumentedNames(const std::string& page, const std::string& heading = "parameter") {
  std::ifstream file(page);
  std::vector<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    inside |= line.starts_with("| " + heading + " |");
    if (inside && line.empty()) break;
    if (inside && line.starts_with("| `")) names.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  return names;
}

// What Settings::Parse() makes of a load with these parameters.
template <typename Settings>
auto ParseSettings(const std::vector<std::pair<std::string, std::string>>& parameters) {
  std::vector<inferd_pair> pairs;
  for (const auto& [key, value] : parameters) {
    pairs.push_back({{key.data(), key.size()}, {value.data(), value.size()}});
  }
  inferd_load load = {};
  load.parameters = pairs.data();
  load.parameter_count = pairs.size();
  return Settings::Parse(load);
}

}  // namespace inferd::support
