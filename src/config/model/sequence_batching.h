#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/data_type.h"

namespace inferd::config {

// ModelSequenceBatching: a model that answers a request by what it kept of those before.

enum class SequenceControlKind { kStart, kReady, kEnd, kCorrid };

// An input that the server makes, of one element for each row: what the row is of its sequence.
struct SequenceControl {
  std::string name;
  SequenceControlKind kind = SequenceControlKind::kStart;
  tensor::DataType datatype = tensor::DataType::kInvalid;  // INT32, FP32 or BOOL; of kCorrid an integer or BYTES
  double false_value = 0;                                  // not of kCorrid
  double true_value = 1;
};

// kDirect: a sequence has a row of an instance's executions for its life. kOldest: it has an instance, and its requests
// share that one's executions as dynamic batching would have it.
enum class SequenceStrategy { kDirect, kOldest };

struct SequenceBatching {
  static constexpr uint64_t kIdleUsDefault = 1'000'000;

  SequenceStrategy strategy = SequenceStrategy::kDirect;
  uint64_t max_idle_us = kIdleUsDefault;  // without a request for so long, a sequence has ended
  std::vector<SequenceControl> controls;
  uint64_t max_queue_delay_us = 0;
  float minimum_slot_utilization = 0;          // kDirect: of an instance's rows
  int32_t max_candidate_sequences = 0;         // kOldest: of an instance
  std::vector<int32_t> preferred_batch_sizes;  // kOldest
  bool preserve_ordering = false;              // kOldest
};

}  // namespace inferd::config
