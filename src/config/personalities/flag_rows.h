#pragma once

#include <string_view>

#include "config/personality.h"

// Rows of personalities' flag tables, by treatment of the flag.

namespace inferd::config {

// A flag that has a meaning only together with others.
constexpr PersonalityFlag Combined(std::string_view name, std::string_view help, FlagForm form = FlagForm::kText) {
  return {.name = name, .help = help, .form = form, .combined = true};
}

// A flag that is accepted and reported as having no effect. For `values`, it has no effect in the other server either.
constexpr PersonalityFlag Idle(std::string_view name, std::string_view reason, FlagForm form,
                               std::string_view values = {}) {
  return {.name = name, .help = reason, .form = form, .values = values};
}

}  // namespace inferd::config
