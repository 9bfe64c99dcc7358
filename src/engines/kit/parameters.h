#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "inferd/engine_abi.h"

// The `parameters` of a model's configuration, which are texts.

namespace inferd::kit {

inline std::string_view ToView(inferd_text text) { return {text.data, text.size}; }

// INVALID_ARGUMENT, naming the parameter and its value, if it is not a decimal number from `min` to `max`.
base::Status ReadNumber(std::string_view key, std::string_view text, int min, int max, int* number);

// Reads "true", "false", "1" or "0".
base::Status ReadFlag(std::string_view key, std::string_view text, bool* flag);

// Support for a table of parameters: each row has a `name`, and a function `apply(key, value, settings)`, whose status
// is the error.

template <typename Rows>
std::vector<std::string_view> ParameterNames(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

// Applies the load's parameters that have a row, in the load's order; others are ignored. Returns the first error.
template <typename Rows, typename Settings>
base::Status ApplyParameters(const Rows& rows, const inferd_load& load, Settings* settings) {
  for (size_t i = 0; i < load.parameter_count; ++i) {
    const std::string_view key = ToView(load.parameters[i].key);
    const auto row = std::ranges::find_if(rows, [&](const auto& each) { return each.name == key; });
    if (row == std::end(rows)) continue;
    INFERD_RETURN_IF_ERROR(row->apply(key, ToView(load.parameters[i].value), settings));
  }
  return base::OkStatus();
}

}  // namespace inferd::kit
