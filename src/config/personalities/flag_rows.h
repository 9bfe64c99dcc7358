#pragma once

#include <string_view>

#include "config/personality.h"

// Rows of personalities' tables of flags, by what becomes of them.

namespace inferd::config {

// Means something with others only.
constexpr PersonalityFlag Combined(std::string_view name, std::string_view help, FlagForm form = FlagForm::kText) {
  return {.name = name, .help = help, .form = form, .combined = true};
}

// Accepted, and said to have no effect; `values` ask for nothing else.
constexpr PersonalityFlag Idle(std::string_view name, std::string_view reason, FlagForm form,
                               std::string_view values = {}) {
  return {.name = name, .help = reason, .form = form, .values = values};
}

}  // namespace inferd::config
