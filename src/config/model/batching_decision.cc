#include "config/model/batching_decision.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "config/model/model_config_completion.h"
#include "config/model/model_config_message.h"

namespace inferd::config {
namespace {

// In lower case, without separators.
constexpr std::array<std::string_view, 14> kBatchNames = {
    "batch",    "batchsize", "batchdim", "batchaxis", "batchcount", "batches",      "nbatch",
    "numbatch", "n",         "b",        "bs",        "bsz",        "dynamicbatch", "dynamicbatchsize"};

std::string Quoted(std::string_view kind, const TensorInfo& tensor) {
  return std::string(kind) + " '" + tensor.name + "'";
}

std::string_view NameOf(const TensorInfo& tensor, size_t dim) {
  return dim < tensor.dimension_names.size() ? std::string_view(tensor.dimension_names[dim]) : std::string_view();
}

// Returns why a tensor's dimensions do not show that its rows are in the dimension `name`. Empty if they do.
std::string WhyNotRows(std::string_view kind, const TensorInfo& tensor, std::string_view name) {
  const std::string_view first = NameOf(tensor, 0);
  if (first.empty()) return "the first dimension of " + Quoted(kind, tensor) + " has no name";
  if (!IsBatchDimensionName(first))
    return "the name of the first dimension of " + Quoted(kind, tensor) + " is not 'batch'";
  if (first != name) return "the first dimensions of its tensors have different names";
  for (size_t dim = 1; dim < tensor.shape.rank(); ++dim) {
    if (NameOf(tensor, dim) == name) return Quoted(kind, tensor) + " has its batch dimension twice";
  }
  return {};
}

std::string WhyNoRows(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs) {
  const std::string_view name = NameOf(inputs.front(), 0);
  for (const TensorInfo& input : inputs) {
    if (std::string why = WhyNotRows("input", input, name); !why.empty()) return why;
  }
  for (const TensorInfo& output : outputs) {
    if (std::string why = WhyNotRows("output", output, name); !why.empty()) return why;
  }
  return {};
}

std::string HowToBatch(const std::string& model) {
  return "; write dynamic_batching { } into " + model + "/config.pbtxt if its rows do not influence each other";
}

BatchingDecision WrittenDecision(const inference::ModelConfig& proto) {
  const std::string value = std::to_string(proto.max_batch_size());
  return {.batches = proto.max_batch_size() > 0,
          .source = BatchingSource::kConfiguration,
          .reason = "its configuration says max_batch_size: " + value};
}

// Returns true if the input is a control or a state of sequences.
bool IsOfSequences(const ModelConfig& config, const std::string& input) {
  if (!config.sequence_batching.has_value()) return false;
  const SequenceBatching& sequences = *config.sequence_batching;
  return std::ranges::find(sequences.controls, input, &SequenceControl::name) != sequences.controls.end() ||
         std::ranges::find(sequences.states, input, &SequenceState::input) != sequences.states.end();
}

}  // namespace

std::string WhyNotBatchable(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs) {
  if (inputs.empty() || outputs.empty()) return "it has no inputs or no outputs";
  for (const TensorInfo& input : inputs) {
    if (!tensor::BeginsWithAnySize(input.shape))
      return Quoted("input", input) + " does not begin with a dimension of any size";
  }
  for (const TensorInfo& output : outputs) {
    if (!tensor::BeginsWithAnySize(output.shape))
      return Quoted("output", output) + " does not begin with a dimension of any size";
  }
  return {};
}

std::string_view BatchingSourceName(BatchingSource source) {
  switch (source) {
    case BatchingSource::kConfiguration: return "configuration";
    case BatchingSource::kServer: return "server";
    case BatchingSource::kModel: return "model";
    case BatchingSource::kProbe: return "probe";
  }
  return "model";
}

bool IsBatchDimensionName(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == '.' || c == ' ') continue;
    plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return std::ranges::find(kBatchNames, plain) != kBatchNames.end();
}

BatchingDecision DecideBatching(const ModelConfig& config, std::vector<TensorInfo> inputs,
                                std::span<const TensorInfo> outputs, const CompletionOptions& options) {
  const auto message = CopyMessage(config);
  const inference::ModelConfig& proto = message->proto;
  if (proto.has_max_batch_size()) return WrittenDecision(proto);
  if (proto.input_size() > 0 || proto.output_size() > 0) {
    return {.source = BatchingSource::kConfiguration,
            .reason = "its configuration lists its tensors and has no max_batch_size"};
  }
  std::erase_if(inputs, [&](const TensorInfo& input) {
    return std::ranges::find(config.batch_inputs, input.name, &BatchInput::target_name) != config.batch_inputs.end() ||
           IsOfSequences(config, input.name);
  });
  if (std::string why = WhyNotBatchable(inputs, outputs); !why.empty()) {
    return {.source = BatchingSource::kModel, .reason = std::move(why)};
  }
  if (options.default_max_batch_size <= 0) {
    return {.source = BatchingSource::kServer,
            .reason = "models whose configuration does not say do not batch on this server"};
  }
  const auto mode = proto.inferd().batching();
  if (mode == inference::InferdOptions::OFF) {
    return {.source = BatchingSource::kConfiguration, .reason = "its configuration says batching: OFF"};
  }
  if (proto.has_dynamic_batching() || mode == inference::InferdOptions::AUTO) {
    return {.batches = true,
            .source = BatchingSource::kConfiguration,
            .reason = proto.has_dynamic_batching() ? "its configuration has dynamic_batching"
                                                   : "its configuration says batching: AUTO"};
  }
  if (config.sequence_batching.has_value()) {
    return {
        .batches = true, .source = BatchingSource::kConfiguration, .reason = "its configuration has sequence_batching"};
  }
  // Both concern the requests of one execution, so the model is meant to be executed with several.
  if (!config.batch_inputs.empty() || !config.batch_outputs.empty()) {
    return {.batches = true,
            .source = BatchingSource::kConfiguration,
            .reason =
                std::string("its configuration has ") + (config.batch_inputs.empty() ? "batch_output" : "batch_input")};
  }
  if (options.unconfigured_batching == UnconfiguredBatching::kLeadingDimension) {
    return {.batches = true,
            .source = BatchingSource::kServer,
            .reason = "its tensors all begin with a dimension of any size, which this server takes for the batch's",
            .probe_advises = config.side_effect_free};
  }
  if (!config.side_effect_free) {
    return {.source = BatchingSource::kConfiguration,
            .reason =
                "its configuration says side_effect_free: false, so it is not executed to see whether its rows "
                "influence each other"};
  }
  if (std::string why = WhyNoRows(inputs, outputs); !why.empty()) {
    return {.source = BatchingSource::kModel,
            .reason = "nothing shows that its rows do not influence each other: " + why + HowToBatch(proto.name())};
  }
  return {.source = BatchingSource::kModel,
          .reason = "its batch dimension '" + std::string(NameOf(inputs.front(), 0)) +
                    "' has not been confirmed by executions" + HowToBatch(proto.name()),
          .needs_probe = true};
}

BatchingDecision WithProbe(BatchingDecision decision, const std::string& model, ProbeResult result) {
  decision.probe_cost = std::move(result.cost);
  if (decision.probe_advises && !result.independent) {
    decision.warning = "requests to '" + model + "' share executions because " + decision.reason + ", but " +
                       result.found + ": answers may be wrong; set max_batch_size: 0 in " + model +
                       "/config.pbtxt if its rows are no batch";
  }
  if (!decision.needs_probe) return decision;
  decision.needs_probe = false;
  decision.source = BatchingSource::kProbe;
  decision.batches = result.independent;
  decision.reason = std::move(result.found);
  if (!result.independent) {
    decision.reason +=
        "; dynamic_batching { } in " + model + "/config.pbtxt has requests share executions all the same";
  }
  return decision;
}

}  // namespace inferd::config
