#include "config/ensemble.h"

#include <cstdio>
#include <cstdlib>

#include "base/text/printable.h"

namespace inferd::config {

namespace {

using Test = EnsembleCondition::Test;

std::optional<long double> ToNumber(const std::string& text) {
  char* end = nullptr;
  const long double number = std::strtold(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size() ? std::optional(number) : std::nullopt;
}

// Compares as texts, and as numbers if they are numbers.
bool Differ(const std::string& a, const std::string& b) {
  if (a == b) return false;
  const auto x = ToNumber(a);
  const auto y = ToNumber(b);
  return !x.has_value() || !y.has_value() || *x != *y;
}

// Returns true if condition `a` excludes condition `b`. Call it again for the opposite direction.
bool RulesOut(const EnsembleCondition& a, const EnsembleCondition& b) {
  if (a.test == Test::kPresent && !a.present) {
    return (b.test == Test::kPresent && b.present) || (b.test != Test::kPresent && b.test != Test::kNotEquals);
  }
  if (a.test == Test::kEquals && b.test == Test::kEquals) return Differ(a.text, b.text);
  if (a.test == Test::kEquals && b.test == Test::kNotEquals) return a.text == b.text;
  if (a.test == Test::kLess && b.test == Test::kGreater) return a.number <= b.number;
  if (a.test != Test::kEquals) return false;
  const auto number = ToNumber(a.text);
  if (!number.has_value()) return false;
  return (b.test == Test::kLess && *number >= static_cast<long double>(b.number)) ||
         (b.test == Test::kGreater && *number <= static_cast<long double>(b.number));
}

std::string NumberText(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

}  // namespace

bool Excludes(const EnsembleCondition& a, const EnsembleCondition& b) {
  const bool same = a.of_parameter == b.of_parameter && a.subject == b.subject;
  return same && (RulesOut(a, b) || RulesOut(b, a));
}

std::vector<EnsembleCall> EnsembleStep::Calls() const {
  std::vector<EnsembleCall> calls = {{.model = model, .version = version, .weight = weight}};
  calls.insert(calls.end(), choices.begin(), choices.end());
  return calls;
}

std::string EnsembleCondition::ToString() const {
  const std::string of = (of_parameter ? "parameter " : "tensor ") + base::QuotedName(subject);
  switch (test) {
    case Test::kEquals: return of + " equals " + base::QuotedName(text);
    case Test::kNotEquals: return of + " not_equals " + base::QuotedName(text);
    case Test::kLess: return of + " less " + NumberText(number);
    case Test::kGreater: return of + " greater " + NumberText(number);
    default: return of + " present " + (present ? "true" : "false");
  }
}

}  // namespace inferd::config
