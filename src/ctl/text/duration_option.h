#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <type_traits>

namespace inferd::ctl {

// Adds an option for a time: "30s", "5m", "1h", or seconds. With a floating-point type also "500ms".
template <typename Number>
CLI::Option* AddDuration(CLI::App& app, const std::string& names, Number& seconds, const std::string& text) {
  std::map<std::string, Number> units = {{"s", 1}, {"m", 60}, {"h", 3600}};
  if constexpr (std::is_floating_point_v<Number>) units["ms"] = 0.001;
  return app.add_option(names, seconds, text)
      ->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_OPTIONAL, "TIME"));
}

// Returns a check that a number, for example such a time, is above 0 and at most 1e9.
inline CLI::Validator AboveZero() {
  constexpr double kMax = 1e9;
  return {[](std::string& value) {
            double number = 0;
            const bool good = CLI::detail::lexical_cast(value, number) && number > 0 && number <= kMax;
            return good ? std::string() : "must be above 0 and at most 1000000000, and is " + value;
          },
          ""};
}

}  // namespace inferd::ctl
