#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engines/forest/model/forest.h"

namespace inferd::forest {

// Computes a forest's results for rows, which are stored one after the other, in the types that the forest's library
// uses. Immutable; thread-safe.
class Evaluator {
 public:
  // For rows with features of this precision; kFloat64 is for forests that compare doubles. The forest must have been
  // checked. Of its trees only their number and linear leaves are used later.
  static std::unique_ptr<const Evaluator> Create(std::shared_ptr<const Forest> forest, Precision features);

  Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  virtual ~Evaluator() = default;

  // Writes `count` times Forest::groups numbers of type Forest::sums.
  virtual void Margins(const void* rows, size_t count, void* margins) const = 0;
  // Writes, for each row and tree, the number of the leaf that the row reaches.
  virtual void Leaves(const void* rows, size_t count, int32_t* leaves) const = 0;
};

}  // namespace inferd::forest
