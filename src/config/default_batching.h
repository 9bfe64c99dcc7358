#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace inferd::config {

// Which models batch whose configuration says nothing of it.
enum class UnconfiguredBatching {
  kProven,            // those whose names of dimensions say that rows are a batch, and whose executions at load agree
  kLeadingDimension,  // those whose tensors all begin with a dimension of any size, as Triton has it
};

// How models batch whose configuration says nothing of it.
struct DefaultBatching {
  uint32_t max_queue_delay_us = 0;
  std::vector<int32_t> preferred_batch_sizes;  // those above a model's max_batch_size do not count for it
  std::vector<int32_t> allowed_batch_sizes;    // nor do these
  bool pad_to_largest_shape = false;           // not for models that have padding of their own
  bool split_large_requests = false;
  uint32_t queue_size_max = 0;  // 0: as large as every model's
  // One for the whole server, of which each of their executions needs one, unless their instance groups have a
  // rate_limiter; empty: none.
  std::string resource = {};
};

}  // namespace inferd::config
