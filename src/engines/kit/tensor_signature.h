#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "inferd/engine_abi.h"

namespace inferd::kit {

// A tensor of a model as its engine describes it.
struct TensorDescription {
  std::string name;
  int32_t datatype = INFERD_TYPE_INVALID;
  std::vector<int64_t> shape = {};  // -1 for any size
  bool optional = false;
  size_t alignment = 1;    // of an input's memory
  bool any_shape = false;  // as in inferd_tensor_spec, and
  std::string graph_name = {};
  bool unknown_rank = false;
  std::vector<std::string> labels = {};           // of an output's elements in a row
  std::vector<std::string> dimension_names = {};  // as many as dimensions, or none
  std::string default_value = {};
  bool one_piece = true;                       // for an input: the host gathers the batch
  int32_t bytes_form = INFERD_BYTES_ELEMENTS;  // for an input
  uint32_t memory_kinds = 0;                   // for an input, on a GPU
  bool any_datatype = false;                   // for an input
  int32_t alternative = 0;
  bool shape_is_hint = false;   // for an output
  bool may_be_missing = false;  // for an output
  bool unchecked = false;       // for an output
};

// A model's inputs and outputs in the ABI's form, with everything that it points to. Filled once. Moving it keeps the
// address of abi().
class TensorSignature final {
 public:
  void AddInput(TensorDescription tensor) { Add(std::move(tensor), &inputs_); }
  void AddOutput(TensorDescription tensor) { Add(std::move(tensor), &outputs_); }

  // Call after the last tensor. Arguments as in inferd_signature.
  void Finish(int compute_threads, std::string name = {}, std::string method = {});
  // Call these after Finish(). Another process computes; execute() need not wait for it; how many executions of an
  // instance may be unfinished, and how many more it accepts.
  void SetComputesElsewhere() { abi_.back().computes_elsewhere = 1; }
  void SetReturnsAtOnce() { abi_.back().returns_at_once = 1; }
  void SetUnfinishedMax(int executions) { abi_.back().unfinished_executions_max = executions; }
  void SetExecutionsAhead(int executions) { abi_.back().executions_ahead = executions; }
  // Requests may have any number of responses; requests belong to sequences.
  void SetDecoupled(bool decoupled) { abi_.back().decoupled = decoupled ? 1 : 0; }
  void SetSequences(bool sequences) { abi_.back().sequences = sequences ? 1 : 0; }
  void SetChecksReadiness(bool checks) { abi_.back().checks_readiness = checks ? 1 : 0; }
  void SetParallelInstances() { abi_.back().parallel_instances = 1; }
  // The model's statements on batching.
  void SetCompleted(int32_t max_batch_size, bool dynamic_batching) {
    abi_.back().completed_max_batch_size = max_batch_size;
    abi_.back().completed_dynamic_batching = dynamic_batching ? 1 : 0;
  }
  // The model adds tensors to its configuration; it states there whether it is decoupled.
  void SetCompletedTensors(bool completed) { abi_.back().completed_tensors = completed ? 1 : 0; }
  void SetCompletedPolicy(bool completed) { abi_.back().completed_transaction_policy = completed ? 1 : 0; }
  // Replaces Finish() for a signature that is only shown.
  void FinishToShow(std::string name, std::string method, std::string not_served = {});

  // Null until Finish().
  const inferd_signature* abi() const { return abi_.empty() ? nullptr : &abi_.front(); }

 private:
  void Add(TensorDescription tensor, std::vector<const inferd_tensor_spec*>* list);

  std::deque<TensorDescription> tensors_;  // deques, so that elements keep their addresses
  std::deque<inferd_tensor_spec> specs_;
  std::deque<std::vector<inferd_text>> labels_;
  std::vector<const inferd_tensor_spec*> inputs_;
  std::vector<const inferd_tensor_spec*> outputs_;
  std::deque<inferd_signature> abi_;
  std::deque<std::string> names_;
  std::deque<std::vector<inferd_text>> dimension_names_;
};

}  // namespace inferd::kit
