#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "engines/forest/model/check_forest.h"
#include "engines/forest/model/forest.h"

namespace inferd::forest {

// Makes the category sets of one forest from files that list them. A set's size depends on its largest category, so
// that few bytes of a file could demand much memory: all sets together have a limit.
class SetBuilder final {
 public:
  base::Status Add(int64_t category, CategorySet* set) {
    if (category < 0 || category >= kCategoriesMax) {
      return base::InvalidArgument("category " + std::to_string(category) + " is not from 0 to " +
                                   std::to_string(kCategoriesMax - 1));
    }
    const auto word = static_cast<size_t>(category / 32);
    if (word >= set->size()) {
      words_ += word + 1 - set->size();
      if (words_ > kWordsMax) return base::InvalidArgument("the sets of categories take too much memory");
      set->resize(word + 1);
    }
    (*set)[word] |= 1U << (category % 32);
    return {};
  }

 private:
  static constexpr size_t kWordsMax = 1 << 26;

  size_t words_ = 0;
};

}  // namespace inferd::forest
