#include "engines/torch/function/forward_schema.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>

namespace inferd::torchscript {

namespace {

std::string Quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

// Returns 3 for "INPUT__3".
std::optional<size_t> NumberOf(std::string_view name) {
  const size_t separator = name.rfind("__");
  if (separator == std::string_view::npos) return std::nullopt;
  const std::string_view digits = name.substr(separator + 2);
  size_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::string ListOf(const std::vector<MethodArgument>& arguments) {
  std::string list;
  for (const MethodArgument& argument : arguments) {
    list += (list.empty() ? "" : ", ") + argument.name + ": " + argument.type;
  }
  return "(" + list + ")";
}

// Chooses by name, by number, or in order.
std::vector<size_t> ChooseArguments(const std::vector<std::string>& names, const MethodSchema& schema) {
  std::vector<size_t> chosen;
  for (const std::string& name : names) {
    const auto named = std::ranges::find(schema.arguments, name, &MethodArgument::name);
    if (named != schema.arguments.end()) {
      chosen.push_back(static_cast<size_t>(named - schema.arguments.begin()));
    } else if (const std::optional<size_t> number = NumberOf(name); number.has_value()) {
      chosen.push_back(*number);
    } else {
      chosen.resize(names.size());
      std::iota(chosen.begin(), chosen.end(), size_t{0});
      return chosen;
    }
  }
  return chosen;
}

}  // namespace

base::Result<std::vector<size_t>> BindInputs(const std::vector<std::string>& names, const MethodSchema& schema) {
  if (schema.takes_dict) return std::vector<size_t>(names.size(), 0);
  std::vector<size_t> chosen = ChooseArguments(names, schema);
  std::vector<const std::string*> input_of(schema.arguments.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string arguments = ", whose arguments are " + ListOf(schema.arguments);
    if (chosen[i] >= input_of.size()) {
      return std::unexpected(
          base::InvalidArgument("input " + Quoted(names[i]) + " is no argument of the model's method" + arguments));
    }
    if (input_of[chosen[i]] != nullptr) {
      return std::unexpected(base::InvalidArgument("inputs " + Quoted(*input_of[chosen[i]]) + " and " +
                                                   Quoted(names[i]) + " are the same argument of the model's method" +
                                                   arguments));
    }
    input_of[chosen[i]] = &names[i];
  }
  for (size_t i = 0; i < input_of.size(); ++i) {
    if (input_of[i] == nullptr && !schema.arguments[i].optional) {
      return std::unexpected(base::InvalidArgument("argument " + Quoted(schema.arguments[i].name) +
                                                   " of the model's method has no default, and no input is given"));
    }
  }
  return chosen;
}

base::Result<std::vector<ResultPlace>> BindOutputs(const std::vector<std::string>& names, const MethodSchema& schema) {
  std::vector<ResultPlace> places;
  const auto field_of = [&](const std::string& name) { return std::ranges::find(schema.result_names, name); };
  const bool by_field =
      std::ranges::all_of(names, [&](const std::string& name) { return field_of(name) != schema.result_names.end(); });
  const bool by_number = std::ranges::all_of(names, [](const std::string& name) { return NumberOf(name).has_value(); });
  for (size_t i = 0; i < names.size(); ++i) {
    ResultPlace place{.position = i, .key = schema.gives_dict ? names[i] : ""};
    if (by_number) place.position = *NumberOf(names[i]);
    if (by_field) place.position = static_cast<size_t>(field_of(names[i]) - schema.result_names.begin());
    if (schema.result_count > 0 && place.position >= schema.result_count) {
      return std::unexpected(base::InvalidArgument("output " + Quoted(names[i]) +
                                                   " is no part of the model's answer, which has " +
                                                   std::to_string(schema.result_count)));
    }
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace inferd::torchscript
