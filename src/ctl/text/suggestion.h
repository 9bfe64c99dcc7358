#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace inferd::ctl {

// How many typing errors lie between two names: a character left out, added or replaced, or two neighbours exchanged
// (the optimal string alignment distance). Letters' case makes no difference. `limit` + 1 if there are more than
// `limit`; then the names are not compared to their ends.
size_t EditDistance(std::string_view a, std::string_view b, size_t limit);

// The first of the candidates nearest to `name`, or nothing if all are further off than a typing error or two: one per
// three characters, at most three.
std::string_view Nearest(std::string_view name, std::span<const std::string> candidates);

// "; did you mean 'digits'?", to follow a message that names `name`; empty if no candidate is near.
std::string Suggestion(std::string_view name, std::span<const std::string> candidates);

}  // namespace inferd::ctl
