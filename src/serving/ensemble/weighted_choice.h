#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "serving/core/request/infer_request.h"

namespace inferd::ensemble {

// Chooses one of several in proportion to their weights. Spreads requests evenly in turn, not by chance, so that ten
// requests already come close to the weights. All requests of a sequence get the same choice. Thread-safe.
class WeightedChoice final {
 public:
  // At least one weight must not be 0.
  explicit WeightedChoice(const std::vector<uint32_t>& weights);

  size_t Of(const core::Sequence& sequence) const;

 private:
  std::vector<uint64_t> ends_;  // sums of weights
  std::unique_ptr<std::atomic<uint64_t>> taken_;
};

}  // namespace inferd::ensemble
