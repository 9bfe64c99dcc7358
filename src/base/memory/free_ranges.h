#pragma once

#include <cstddef>
#include <map>
#include <optional>

namespace inferd::base {

// Which bytes of an area are free: first fit, so that little of the area is ever touched. Not thread-safe.
class FreeRanges final {
 public:
  explicit FreeRanges(size_t bytes) : free_{{0, bytes}} {}

  // Where `bytes` of them begin, which are taken then; nullopt: nowhere are so many together.
  std::optional<size_t> Take(size_t bytes);
  // `offset` and `bytes` are what was taken.
  void Give(size_t offset, size_t bytes);

 private:
  std::map<size_t, size_t> free_;  // offset to size; no two touch each other
};

}  // namespace inferd::base
