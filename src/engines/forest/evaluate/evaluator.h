#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engines/forest/model/forest.h"

namespace inferd::forest {

// Computes what a forest says of rows, which lie one behind the other, in the types that its makers chose. Immutable;
// thread-safe.
class Evaluator {
 public:
  // For rows of features of this precision; kFloat64 is for forests that compare doubles. The forest was checked; of
  // its trees nothing is used later on but their number and linear leaves.
  static std::unique_ptr<const Evaluator> Create(std::shared_ptr<const Forest> forest, Precision features);

  Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  virtual ~Evaluator() = default;

  // `count` times Forest::groups numbers of type Forest::sums.
  virtual void Margins(const void* rows, size_t count, void* margins) const = 0;
  // `count` times as many as there are trees: the number of the leaf that the row comes to.
  virtual void Leaves(const void* rows, size_t count, int32_t* leaves) const = 0;
};

}  // namespace inferd::forest
