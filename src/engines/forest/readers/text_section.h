#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::forest {

// The lines "key=value" up to an empty line, as in LightGBM's files. A key without '=' has an empty value.
class TextSection final {
 public:
  // Takes one section, and the empty lines before it, off the front of `*text`. INVALID_ARGUMENT if a key is repeated.
  static base::Result<TextSection> Take(std::string_view* text);

  bool empty() const { return values_.empty(); }
  bool Has(std::string_view key) const { return values_.contains(key); }

  // Empty if there is no such key.
  std::string_view Text(std::string_view key) const;
  // INVALID_ARGUMENT, naming the key, if it is missing, or not from `min` to `max`.
  base::Result<int64_t> Integer(std::string_view key, int64_t min, int64_t max) const;
  // Returns `count` numbers, separated by white space. INVALID_ARGUMENT if there are not so many.
  template <typename Number>
  base::Result<std::vector<Number>> List(std::string_view key, size_t count) const;

 private:
  std::map<std::string_view, std::string_view> values_;
};

template <typename Number>
base::Result<std::vector<Number>> TextSection::List(std::string_view key, size_t count) const {
  const std::string_view text = Text(key);
  const char* at = text.data();
  const char* const end = at + text.size();
  std::vector<Number> numbers;
  while (true) {
    while (at != end && *at == ' ') ++at;
    if (at == end) break;
    const auto [rest, error] = std::from_chars(at, end, numbers.emplace_back());
    if (error != std::errc() || (rest != end && *rest != ' ')) {
      return std::unexpected(base::InvalidArgument("'" + std::string(key) + "' has '" +
                                                   std::string(at, std::find(at, end, ' ')) + "' among its numbers"));
    }
    at = rest;
  }
  if (numbers.size() == count) return numbers;
  return std::unexpected(base::InvalidArgument("'" + std::string(key) + "' has " + std::to_string(numbers.size()) +
                                               " numbers and not " + std::to_string(count)));
}

}  // namespace inferd::forest
