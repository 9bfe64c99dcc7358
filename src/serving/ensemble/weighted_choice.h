#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "serving/core/request/infer_request.h"

namespace inferd::ensemble {

// Which of several is taken, as often as their weights say: requests in turn, spread evenly and not by chance, so that
// ten of them come close to the weights already. All requests of a sequence take the same. Thread-safe.
class WeightedChoice final {
 public:
  // Not all are 0.
  explicit WeightedChoice(const std::vector<uint32_t>& weights);

  size_t Of(const core::Sequence& sequence) const;

 private:
  std::vector<uint64_t> ends_;  // sums of weights
  std::unique_ptr<std::atomic<uint64_t>> taken_;
};

}  // namespace inferd::ensemble
