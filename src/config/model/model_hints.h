#pragma once

#include <span>
#include <string>
#include <string_view>

// What to do about models that cannot be served as they are, for error messages: whole clauses without a full stop.

namespace inferd::config {

// About a file of another framework's own format, by its name: what it is, and what has to be done with it. Empty: not
// known.
std::string_view ForeignModelHint(std::string_view filename);

// The same of the first of a folder's entries that is known.
std::string_view ForeignModelHint(std::span<const std::string> entries);

// How to get an engine that is not installed, or what to do without it. Empty: nothing is known about it.
std::string_view MissingEngineHint(std::string_view engine);

}  // namespace inferd::config
