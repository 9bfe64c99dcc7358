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

// A tensor as the engine found it in the model file: full shape, -1 for a dimension of any size. kInvalid: the model
// does not say the type. Dimension names: as many as dimensions, empty where one has none; or none at all.
struct TensorInfo {
  std::string name;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape shape;
  bool optional = false;
  std::vector<std::string> dimension_names = {};
};

// What says whether requests to a model may share executions.
enum class BatchingSource {
  kConfiguration,  // the model's configuration
  kServer,         // options of the server, or the rule of the server whose place it takes
  kModel,          // the model itself: nothing shows that its rows do not influence each other
  kProbe,          // executions at load
};
std::string_view BatchingSourceName(BatchingSource source);  // "configuration", "server", "model", "probe"

// Whether a model has a batch dimension, along which requests may share an execution, and why: one value for the log,
// `inferctl validate`, the scheduler's report and metadata.
struct BatchingDecision {
  bool batches = false;
  BatchingSource source = BatchingSource::kModel;
  std::string reason = {};      // for people, without a full stop; where it does not batch: also what would make it
  bool needs_probe = false;     // executions are to confirm what the model's names say: until then it does not batch
  bool probe_advises = false;   // what executions show is worth a warning, and changes nothing
  std::string probe_cost = {};  // what the executions took; empty: there were none
  std::string warning = {};     // for the operator; empty: none
};

// Whether dimensions called so hold a batch's rows: "batch", "batch_size", "N" and so on, in capitals or not; see
// docs/batching.md for all of them.
bool IsBatchDimensionName(std::string_view name);

// Why a model has no dimension that could be the batch's, in words; empty: one of any size leads all of its tensors.
// `inputs` are those that clients send.
std::string WhyNotBatchable(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs);

// What configuration, options, and shapes and names of tensors decide. `inputs` are all of the model's: those that
// batch_input fills have no rows and are passed over. A model whose configuration does not say is a candidate
// (needs_probe) where one dimension with such a name leads all of its tensors and stands nowhere else.
BatchingDecision DecideBatching(const ModelConfig& config, std::vector<TensorInfo> inputs,
                                std::span<const TensorInfo> outputs, const CompletionOptions& options);

// What executions at load have shown of a model.
struct ProbeResult {
  bool independent = false;  // its rows do not influence each other
  std::string found;         // in words
  std::string cost = {};
};

// That decision once executions have shown whether rows influence each other.
BatchingDecision WithProbe(BatchingDecision decision, const std::string& model, ProbeResult result);

}  // namespace inferd::config
