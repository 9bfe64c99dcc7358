#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::config {

struct CompletionOptions;
struct ModelConfig;

// A tensor as the engine found it in the model file: its full shape, with -1 for a dimension of any size. kInvalid if
// the model does not state the type. There are as many dimension names as dimensions, empty ones included, or none at
// all.
struct TensorInfo {
  std::string name;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape shape;
  bool optional = false;
  std::vector<std::string> dimension_names = {};
};

// The source of the decision whether requests to a model may share executions.
enum class BatchingSource {
  kConfiguration,  // the model's configuration
  kServer,         // options of the server, or the rule of the server that it replaces
  kModel,          // the model itself: nothing shows that its rows are independent
  kProbe,          // executions at load
};
std::string_view BatchingSourceName(BatchingSource source);  // "configuration", "server", "model", "probe"

// The decision whether a model has a batch dimension, along which requests may share an execution, with its reason. The
// log, `inferctl validate`, the scheduler's report and the metadata all show it.
struct BatchingDecision {
  bool batches = false;
  BatchingSource source = BatchingSource::kModel;
  std::string reason = {};      // for people, without a full stop; without batching also the way to enable it
  bool needs_probe = false;     // true if executions must confirm the model's names first: until then it does not batch
  bool probe_advises = false;   // true if the result of executions only causes a warning
  std::string probe_cost = {};  // cost of the executions; empty if there were none
  std::string warning = {};     // for the operator; empty if none
};

// Returns true if dimensions of this name hold a batch's rows: "batch", "batch_size", "N" and so on, in any case.
// docs/batching.md lists all of them.
bool IsBatchDimensionName(std::string_view name);

// Returns why no dimension can be the batch's, in words. Empty if a dimension of any size leads all tensors. `inputs`
// are those that clients send.
std::string WhyNotBatchable(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs);

// Decides by configuration, options, and the tensors' shapes and names. `inputs` are all inputs of the model; those
// that batch_input fills have no rows and are skipped. A model whose configuration does not say is a candidate
// (needs_probe) if one dimension with a batch name leads all of its tensors and occurs nowhere else.
BatchingDecision DecideBatching(const ModelConfig& config, std::vector<TensorInfo> inputs,
                                std::span<const TensorInfo> outputs, const CompletionOptions& options);

// The result of trial executions at load.
struct ProbeResult {
  bool independent = false;  // true if its rows do not influence each other
  std::string found;         // in words
  std::string cost = {};
};

// Returns that decision, updated by the result of trial executions.
BatchingDecision WithProbe(BatchingDecision decision, const std::string& model, ProbeResult result);

}  // namespace inferd::config
