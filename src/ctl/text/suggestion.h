#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace inferd::ctl {

// Returns the number of typing errors between two names: characters left out, added or replaced, or two neighbours
// exchanged (the optimal string alignment distance). Ignores case. Returns `limit` + 1 as soon as there are more than
// `limit`.
size_t EditDistance(std::string_view a, std::string_view b, size_t limit);

// Returns the first of the candidates nearest to `name`. Empty if all have too many errors: more than one per three
// characters of the name, or more than three.
std::string_view Nearest(std::string_view name, std::span<const std::string> candidates);

// Returns "; did you mean 'digits'?", to be appended to a message about `name`. Empty if no candidate is near.
std::string Suggestion(std::string_view name, std::span<const std::string> candidates);

}  // namespace inferd::ctl
