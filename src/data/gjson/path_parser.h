#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/gjson/components.h"

namespace inferd::gjson {

// A parser for the text of a path. Not thread-safe.
class PathParser final {
 public:
  explicit PathParser(std::string_view text) : text_(text) {}

  // INVALID_ARGUMENT, with the position, if the text is not a path, or is not supported here.
  base::Result<std::vector<Component>> Parse();

  static constexpr size_t kBytesMax = 4096;
  static constexpr size_t kComponentsMax = 64;  // of one path
  static constexpr size_t kQueriesMax = 8;      // nested in each other

 private:
  PathParser(std::string_view text, size_t queries) : text_(text), queries_(queries) {}

  base::Status ParseComponent(Component& component);
  base::Status ParseHash(Component& component);
  base::Status ParseKey(Component& component);
  base::Result<Query> ParseQuery(std::string_view text) const;
  base::Status Error(std::string_view what) const;

  const std::string_view text_;
  const size_t queries_ = 0;  // number of queries around this path
  size_t at_ = 0;
};

// Returns true if the text matches the pattern: * stands for any characters, ? for one, and \ escapes the next one.
bool Matches(std::string_view text, std::string_view pattern);

}  // namespace inferd::gjson
