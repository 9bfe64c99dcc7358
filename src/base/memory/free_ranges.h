#pragma once

#include <cstddef>
#include <map>
#include <optional>

namespace inferd::base {

// The free byte ranges of an area. Allocation is first fit, so that little of the area is ever touched. Not
// thread-safe.
class FreeRanges final {
 public:
  explicit FreeRanges(size_t bytes) : free_{{0, bytes}} {}

  // Takes `bytes` consecutive bytes and returns their offset, or nullopt if no free range is large enough.
  std::optional<size_t> Take(size_t bytes);
  // Gives back a range that Take() returned.
  void Give(size_t offset, size_t bytes);

 private:
  std::map<size_t, size_t> free_;  // offset to size; no two touch each other
};

}  // namespace inferd::base
