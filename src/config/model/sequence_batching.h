#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::config {

// ModelSequenceBatching: a model whose response to a request depends on state from earlier requests.

enum class SequenceControlKind { kStart, kReady, kEnd, kCorrid };

// An input that the server makes, with one element for each row: the row's role in its sequence.
struct SequenceControl {
  std::string name;
  SequenceControlKind kind = SequenceControlKind::kStart;
  tensor::DataType datatype = tensor::DataType::kInvalid;  // INT32, FP32 or BOOL; for kCorrid an integer or BYTES
  double false_value = 0;                                  // not for kCorrid
  double true_value = 1;
};

// kDirect: a sequence keeps one row of an instance's executions for its life. kOldest: a sequence keeps an instance,
// and its requests share that instance's executions as in dynamic batching.
enum class SequenceStrategy { kDirect, kOldest };

// The state of a sequence that the server keeps for the model: the output of one request is the input of the next.
// Clients do not see the input, and see the output only if it is among ModelConfig::outputs.
struct SequenceState {
  std::string input;
  std::string output;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape dims;  // without the batch dimension; -1 is any size, which may change between requests
  // The shape of the first request's state, without open sizes: zeros, or the content of this file in the model's
  // folder initial_state.
  tensor::Shape initial_dims;
  std::string initial_file;  // zeros if empty
};

struct SequenceBatching {
  static constexpr uint64_t kIdleUsDefault = 1'000'000;

  SequenceStrategy strategy = SequenceStrategy::kDirect;
  uint64_t max_idle_us = kIdleUsDefault;  // a sequence ends after this time without a request
  std::vector<SequenceControl> controls;
  std::vector<SequenceState> states;
  // True if a request is a sequence: the engine may have it executed repeatedly, until it is answered.
  bool iterative = false;
  uint64_t max_queue_delay_us = 0;
  float minimum_slot_utilization = 0;          // kDirect: of an instance's rows
  int32_t max_candidate_sequences = 0;         // kOldest: of an instance
  std::vector<int32_t> preferred_batch_sizes;  // kOldest
  bool preserve_ordering = false;              // kOldest
};

}  // namespace inferd::config
