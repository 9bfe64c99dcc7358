#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace inferd::config {

// The rule for models whose configuration says nothing about batching.
enum class UnconfiguredBatching {
  kProven,            // batch if dimension names indicate a batch, and executions at load confirm it
  kLeadingDimension,  // batch if all tensors begin with a dimension of any size, as in Triton
};

// The batching of models whose configuration says nothing about it.
struct DefaultBatching {
  uint32_t max_queue_delay_us = 0;
  std::vector<int32_t> preferred_batch_sizes;  // sizes above a model's max_batch_size are ignored
  std::vector<int32_t> allowed_batch_sizes;    // likewise
  bool pad_to_largest_shape = false;           // not for models that have padding of their own
  bool split_large_requests = false;
  uint32_t queue_size_max = 0;  // 0 for every model's default
  // The name of a server-wide resource that each of their executions needs, unless their instance groups have a
  // rate_limiter. Empty if there is none.
  std::string resource = {};
};

}  // namespace inferd::config
