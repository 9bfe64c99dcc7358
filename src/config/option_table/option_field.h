#pragma once

#include <chrono>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/text/ascii_case.h"
#include "base/text/nearest_name.h"
#include "config/option_table/option_table.h"
#include "config/option_table/option_value.h"

// Rows of the option table for plain fields of ServerOptions, whose type determines how they are read and printed.

namespace inferd::config {

// A choice's values in the order of its enumeration, separated by '|', as the help shows them. Case is ignored, as in
// Triton.
template <typename Enum>
base::Result<Enum> ParseChoice(std::string_view names, std::string_view text) {
  base::NearestName nearest(text);
  int index = 0;
  for (std::string_view rest = names; !rest.empty(); ++index) {
    const size_t bar = rest.find('|');
    const std::string_view name = rest.substr(0, bar);
    if (base::EqualWithoutCase(name, text)) return static_cast<Enum>(index);
    nearest.Offer(name);
    rest = bar == std::string_view::npos ? std::string_view() : rest.substr(bar + 1);
  }
  return std::unexpected(base::InvalidArgument("expected " + std::string(names) + ", got '" + std::string(text) + "'" +
                                               nearest.Suggestion()));
}

inline std::string PrintChoice(std::string_view names, int index) {
  for (; index > 0; --index) names.remove_prefix(names.find('|') + 1);
  return std::string(names.substr(0, names.find('|')));
}

// For an option that is empty unless it is given.
inline std::string PrintNothing(ServerOptions&) { return ""; }

// Returns the field at the end of a path of member pointers.
template <auto... Path>
auto& At(ServerOptions& options) {
  return (options.*....*Path);
}

template <auto... Path>
base::Status Set(ServerOptions& options, std::string_view text) {
  auto& field = At<Path...>(options);
  using Type = std::remove_reference_t<decltype(field)>;
  if constexpr (std::is_same_v<Type, std::string>) {
    field = text;
  } else if constexpr (std::is_same_v<Type, std::vector<std::string>>) {
    if (text.empty()) return base::InvalidArgument("expected a name, got ''");
    field.emplace_back(text);
  } else if constexpr (std::is_same_v<Type, bool>) {
    INFERD_ASSIGN_OR_RETURN(field, ParseBool(text));
  } else if constexpr (std::is_same_v<Type, std::chrono::milliseconds>) {
    INFERD_ASSIGN_OR_RETURN(field, ParseDuration(text));
  } else if constexpr (std::is_same_v<Type, uint64_t>) {
    INFERD_ASSIGN_OR_RETURN(field, ParseBytes(text));
  } else {
    INFERD_ASSIGN_OR_RETURN(const int64_t value, ParseInteger(text, 0, std::numeric_limits<Type>::max()));
    field = static_cast<Type>(value);
  }
  return base::OkStatus();
}

template <auto... Path>
std::string Print(ServerOptions& options) {
  const auto& field = At<Path...>(options);
  using Type = std::remove_cvref_t<decltype(field)>;
  if constexpr (std::is_same_v<Type, std::string>) {
    return field;
  } else if constexpr (std::is_same_v<Type, std::vector<std::string>>) {
    return field.empty() ? "" : field.front();
  } else if constexpr (std::is_same_v<Type, bool>) {
    return field ? "true" : "false";
  } else if constexpr (std::is_same_v<Type, std::chrono::milliseconds>) {
    return PrintDuration(field);
  } else if constexpr (std::is_same_v<Type, uint64_t>) {
    return PrintBytes(field);
  } else {
    return std::to_string(field);
  }
}

// Returns the row of an option that is a plain field.
template <auto... Path>
Option Plain(std::string_view group, std::string_view name, std::string_view value_name, std::string_view help) {
  using Type = std::remove_reference_t<decltype(At<Path...>(std::declval<ServerOptions&>()))>;
  return {.group = group,
          .name = name,
          .value_name = value_name,
          .help = help,
          .repeated = std::is_same_v<Type, std::vector<std::string>>,
          .set = Set<Path...>,
          .print = Print<Path...>};
}

template <const std::string_view& Names, auto... Path>
Option Choice(std::string_view group, std::string_view name, std::string_view help) {
  using Type = std::remove_reference_t<decltype(At<Path...>(std::declval<ServerOptions&>()))>;
  return {.group = group,
          .name = name,
          .value_name = Names,
          .help = help,
          .set = [](ServerOptions& options, std::string_view text) -> base::Status {
            INFERD_ASSIGN_OR_RETURN(At<Path...>(options), ParseChoice<Type>(Names, text));
            return base::OkStatus();
          },
          .print = [](ServerOptions& options) { return PrintChoice(Names, static_cast<int>(At<Path...>(options))); }};
}

}  // namespace inferd::config
