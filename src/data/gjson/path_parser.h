#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/gjson/components.h"

namespace inferd::gjson {

// Reads the text of a path. Not thread-safe.
class PathParser final {
 public:
  explicit PathParser(std::string_view text) : text_(text) {}

  // INVALID_ARGUMENT, with the place: it is no path, or one of a kind that is not known here.
  base::Result<std::vector<Component>> Parse();

  static constexpr size_t kBytesMax = 4096;
  static constexpr size_t kComponentsMax = 64;  // of one path
  static constexpr size_t kQueriesMax = 8;      // in each other

 private:
  PathParser(std::string_view text, size_t queries) : text_(text), queries_(queries) {}

  base::Status ParseComponent(Component& component);
  base::Status ParseHash(Component& component);
  base::Status ParseKey(Component& component);
  base::Result<Query> ParseQuery(std::string_view text) const;
  base::Status Error(std::string_view what) const;

  const std::string_view text_;
  const size_t queries_ = 0;  // that this path is in
  size_t at_ = 0;
};

// Whether a text matches: * any characters, ? one, \ makes the next one itself.
bool Matches(std::string_view text, std::string_view pattern);

}  // namespace inferd::gjson
