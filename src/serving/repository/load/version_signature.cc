#include "serving/repository/load/version_signature.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/system/regular_file.h"
#include "storage/staging.h"

namespace inferd::repository {

namespace {

constexpr size_t kLabelBytesMax = 16 << 20;

tensor::Shape FullShape(tensor::Shape dims, bool batches) {
  if (batches) dims.Prepend(-1);
  return dims;
}

// Returns the shape without the batch dimension.
tensor::Shape OwnShape(const tensor::Shape& full, bool batches) {
  tensor::Shape dims;
  for (size_t i = batches ? 1 : 0; i < full.rank(); ++i) dims.Append(full[i]);
  return dims;
}

// Adds the engine's alternative tensors, which the configuration cannot know.
void AddAlternatives(const std::vector<core::TensorSpec>& engine, std::vector<core::TensorSpec>& specs,
                     std::vector<int>& numbers) {
  for (size_t i = 0; i < engine.size(); ++i) {
    if (!engine[i].alternative) continue;
    specs.push_back(engine[i]);
    numbers.push_back(static_cast<int>(i));
  }
}

// Returns the shape with which the engine sees an input. A scalar of the model is one element for clients, in as many
// dimensions as the configuration states.
std::optional<tensor::Shape> ReshapeOf(const config::ModelInput& input, const core::TensorSpec& of_engine,
                                       bool batches) {
  const bool scalar = !batches && of_engine.shape.rank() == 0 && !of_engine.any_shape;
  if (input.reshape.has_value() || !scalar || input.dims.rank() == 0 || input.dims.ElementCount() != 1) {
    return input.reshape;
  }
  return tensor::Shape();
}

base::Status NotInModel(std::string_view kind, const std::string& name) {
  return base::InvalidArgument("the model has no " + std::string(kind) + " '" + name + "'");
}

// Checks that the model has the tensors that the server makes or keeps itself.
base::Status CheckOwnTensors(const config::ModelConfig& config, const core::ModelSignature& engine) {
  for (const config::BatchInput& made : config.batch_inputs) {
    if (engine.FindInput(made.target_name) < 0) return NotInModel("input", made.target_name);
  }
  if (!config.sequence_batching.has_value()) return base::OkStatus();
  for (const config::SequenceControl& control : config.sequence_batching->controls) {
    if (engine.FindInput(control.name) < 0) return NotInModel("input", control.name);
  }
  for (const config::SequenceState& state : config.sequence_batching->states) {
    if (engine.FindInput(state.input) < 0) return NotInModel("input", state.input);
    if (engine.FindOutput(state.output) < 0) return NotInModel("output", state.output);
  }
  return base::OkStatus();
}

// Returns the output's labels. A label file named in the configuration replaces the labels that the model brings.
base::Result<std::vector<std::string>> LabelsOf(const config::ModelOutput& output, const core::TensorSpec& of_engine,
                                                const std::filesystem::path& model_dir) {
  if (output.label_filename.empty()) return of_engine.labels;
  INFERD_RETURN_IF_ERROR(storage::CheckRelativePath(output.label_filename).WithContext("label_filename"));
  return ReadLabels(model_dir / output.label_filename);
}

}  // namespace

base::Result<std::vector<std::string>> ReadLabels(const std::filesystem::path& file) {
  INFERD_ASSIGN_OR_RETURN(const std::string text, base::ReadRegularFile(file, kLabelBytesMax));
  std::vector<std::string> labels;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    labels.emplace_back(line);
    begin = end + 1;
  }
  while (!labels.empty() && labels.back().empty()) labels.pop_back();
  return labels;
}

config::ModelConfig OtherSignatureConfig(config::ModelConfig config, const core::ModelSignature& engine) {
  config.batch_inputs.clear();
  config.batch_outputs.clear();
  config.padding.clear();
  config.warmups.clear();
  config.sequence_batching.reset();
  const auto leads = [](const core::TensorSpec& spec) { return tensor::BeginsWithAnySize(spec.shape); };
  if (engine.inputs.empty() || !std::ranges::all_of(engine.inputs, leads) ||
      !std::ranges::all_of(engine.outputs, leads) ||
      config.batching_decision.source == config::BatchingSource::kProbe) {
    config.max_batch_size = 0;
  }
  const bool batches = config.max_batch_size > 0;
  config.inputs.clear();
  for (const core::TensorSpec& spec : engine.inputs) {
    config::ModelInput& input = config.inputs.emplace_back();
    input.name = spec.name;
    input.datatype = spec.datatype;
    input.dims = OwnShape(spec.shape, batches);
    input.optional = spec.optional;
  }
  config.outputs.clear();
  for (const core::TensorSpec& spec : engine.outputs) {
    config::ModelOutput& output = config.outputs.emplace_back();
    output.name = spec.name;
    output.datatype = spec.datatype;
    output.dims = OwnShape(spec.shape, batches);
  }
  return config;
}

base::Result<VersionSignature> MakeVersionSignature(const config::ModelConfig& config,
                                                    const core::ModelSignature& engine,
                                                    const std::filesystem::path& model_dir) {
  VersionSignature result;
  auto signature = std::make_shared<core::ModelSignature>();
  signature->name = engine.name;
  signature->method_name = engine.method_name;
  signature->decoupled = engine.decoupled || config.decoupled;
  signature->sequences = engine.sequences || config.sequence_batching.has_value();
  signature->max_batch_size = config.max_batch_size;
  signature->any_input_name = config.any_input_name;
  signature->accepts_larger_requests = config.accepts_larger_requests;
  const bool batches = config.max_batch_size > 0;
  // batch_output scatters outputs that have no rows to join.
  signature->splits_larger_requests = batches && config.split_large_requests && config.batch_outputs.empty();
  // True if neither batching nor the configuration sets a number of dimensions.
  const auto says_no_more = [batches](const auto& tensor) { return !batches && tensor.dims.rank() == 0; };
  // If the model leaves the number of dimensions open, the configuration's dimensions hold.
  const auto takes_any_shape = [&](const config::ModelInput& input, const core::TensorSpec& of_engine) {
    return of_engine.any_shape && (!of_engine.unknown_rank || says_no_more(input));
  };
  // True if the scheduler reads the inputs' bytes, as padding does.
  const bool reads =
      !config.padding.empty() || !config.allowed_batch_sizes.empty() || (batches && config.pads_to_largest_shape);
  const bool free = config.padding.empty() && config.batch_inputs.empty() && !config.sequence_batching.has_value();
  for (const config::ModelInput& input : config.inputs) {
    const int index = engine.FindInput(input.name);
    if (index < 0) return std::unexpected(NotInModel("input", input.name));
    result.engine_inputs.push_back(index);
    signature->inputs.push_back({.name = input.name,
                                 .datatype = input.datatype,
                                 .shape = FullShape(input.dims, batches),
                                 .optional = input.optional || engine.inputs[index].optional,
                                 .reshape = ReshapeOf(input, engine.inputs[index], batches),
                                 .ragged = input.allow_ragged_batch,
                                 .padded = batches && config.pads_to_largest_shape && !input.reshape,
                                 .any_shape = free && takes_any_shape(input, engine.inputs[index]),
                                 .graph_name = engine.inputs[index].graph_name,
                                 .takes_device_memory = !reads && input.datatype != tensor::DataType::kBytes &&
                                                        engine.inputs[index].takes_device_memory,
                                 .unknown_rank = engine.inputs[index].unknown_rank && says_no_more(input),
                                 .default_value = engine.inputs[index].default_value,
                                 .any_datatype = free && !reads && engine.inputs[index].any_datatype});
  }
  AddAlternatives(engine.inputs, signature->inputs, result.engine_inputs);
  INFERD_RETURN_IF_ERROR(CheckOwnTensors(config, engine));
  for (const config::ModelOutput& output : config.outputs) {
    const int index = engine.FindOutput(output.name);
    if (index < 0) return std::unexpected(NotInModel("output", output.name));
    result.engine_outputs.push_back(index);
    core::TensorSpec spec{.name = output.name,
                          .datatype = output.datatype,
                          .shape = FullShape(output.dims, batches),
                          .optional = engine.outputs[index].optional,
                          .reshape = output.reshape,
                          .any_shape = engine.outputs[index].any_shape,
                          .graph_name = engine.outputs[index].graph_name,
                          .takes_device_memory = config.padding.empty() && output.datatype != tensor::DataType::kBytes,
                          .unknown_rank = engine.outputs[index].unknown_rank && says_no_more(output),
                          .may_be_missing = engine.outputs[index].may_be_missing,
                          .unchecked = engine.outputs[index].unchecked};
    INFERD_ASSIGN_OR_RETURN(spec.labels, LabelsOf(output, engine.outputs[index], model_dir));
    signature->outputs.push_back(std::move(spec));
  }
  AddAlternatives(engine.outputs, signature->outputs, result.engine_outputs);
  result.signature = std::move(signature);
  return result;
}

}  // namespace inferd::repository
