#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

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

// What a model keeps of a sequence, where the server keeps it: the output of one request is the input of the next.
// Clients do not see the input, and the output only if it is among ModelConfig::outputs.
struct SequenceState {
  std::string input;
  std::string output;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape dims;  // without the batch dimension; -1: any size, which may change from one request to the next
  // What the first request of a sequence gets, without sizes left open: of zeros, or what this file of the model's
  // folder initial_state has.
  tensor::Shape initial_dims;
  std::string initial_file;  // empty: zeros
};

struct SequenceBatching {
  static constexpr uint64_t kIdleUsDefault = 1'000'000;

  SequenceStrategy strategy = SequenceStrategy::kDirect;
  uint64_t max_idle_us = kIdleUsDefault;  // without a request for so long, a sequence has ended
  std::vector<SequenceControl> controls;
  std::vector<SequenceState> states;
  // A request is a sequence: the engine may have it executed again and again, until it is answered.
  bool iterative = false;
  uint64_t max_queue_delay_us = 0;
  float minimum_slot_utilization = 0;          // kDirect: of an instance's rows
  int32_t max_candidate_sequences = 0;         // kOldest: of an instance
  std::vector<int32_t> preferred_batch_sizes;  // kOldest
  bool preserve_ordering = false;              // kOldest
};

}  // namespace inferd::config
