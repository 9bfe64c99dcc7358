#include <set>
#include <string_view>

#include "config/checks/checks.h"

// batch_input and batch_output: tensors that only the engine sees, and outputs without a batch dimension.

namespace inferd::config {
namespace {

using Names = std::set<std::string_view>;

template <typename Tensors>
Names NamesOf(const Tensors& tensors) {
  Names names;
  for (const auto& tensor : tensors) names.insert(tensor.name());
  return names;
}

// Each kind has exactly one source. `kind` is "batch input kind 'BATCH_ELEMENT_COUNT'". Inputs that are not written
// come from the model: their names are known later.
template <typename Item>
void CheckSource(CheckContext& c, const Place& place, const std::string& kind, const Item& item, const Names& inputs) {
  if (item.source_input_size() != 1) {
    c.problems.push_back(place.At("source_input", kind + " expects 1 source input, got " +
                                                      std::to_string(item.source_input_size()) + " for " + c.model));
  }
  for (int i = 0; i < item.source_input_size() && !inputs.empty(); ++i) {
    if (inputs.contains(item.source_input(i))) continue;
    c.problems.push_back(
        place.At("source_input", i, "unknown source input name '" + item.source_input(i) + "' for " + c.model));
  }
}

void CheckBatchInput(CheckContext& c, const Place& place, const inference::BatchInput& item, const Names& inputs,
                     Names& targets) {
  if (!inference::BatchInput::Kind_IsValid(item.kind())) {
    c.problems.push_back(place.At("kind", "unknown batch input kind " + std::to_string(item.kind())));
  } else {
    CheckSource(c, place, "batch input kind '" + inference::BatchInput::Kind_Name(item.kind()) + "'", item, inputs);
  }
  if (item.data_type() != inference::TYPE_INT32 && item.data_type() != inference::TYPE_FP32) {
    c.problems.push_back(place.At("data_type", "batch input data type must be TYPE_INT32 or TYPE_FP32 for " + c.model));
  }
  if (item.target_name().empty()) {
    c.problems.push_back(place.Here("batch input must specify 'target_name' for " + c.model));
  }
  for (int i = 0; i < item.target_name_size(); ++i) {
    const std::string& name = item.target_name(i);
    if (inputs.contains(name)) {
      c.problems.push_back(
          place.At("target_name", i, "batch input '" + name + "' is also an input of clients for " + c.model));
    } else if (!targets.insert(name).second) {
      c.problems.push_back(
          place.At("target_name", i, "target input name '" + name + "' can only be specified once for " + c.model));
    }
  }
}

void CheckBatchOutput(CheckContext& c, const Place& place, const inference::BatchOutput& item, const Names& inputs,
                      const Names& outputs, Names& targets) {
  if (!inference::BatchOutput::Kind_IsValid(item.kind())) {
    c.problems.push_back(place.At("kind", "unknown batch output kind " + std::to_string(item.kind())));
  } else {
    CheckSource(c, place, "batch output kind '" + inference::BatchOutput::Kind_Name(item.kind()) + "'", item, inputs);
  }
  if (item.target_name().empty()) {
    c.problems.push_back(place.Here("batch output must specify 'target_name' for " + c.model));
  }
  for (int i = 0; i < item.target_name_size(); ++i) {
    const std::string& name = item.target_name(i);
    if (!outputs.empty() && !outputs.contains(name)) {
      c.problems.push_back(place.At("target_name", i, "unknown target output name '" + name + "' for " + c.model));
    } else if (!targets.insert(name).second) {
      c.problems.push_back(
          place.At("target_name", i, "target output name '" + name + "' can only be specified once for " + c.model));
    }
  }
}

}  // namespace

void CheckBatchTensors(CheckContext& c) {
  const Names inputs = NamesOf(c.config.input());
  const Names outputs = NamesOf(c.config.output());
  Names input_targets;
  Names output_targets;
  for (int i = 0; i < c.config.batch_input_size(); ++i) {
    CheckBatchInput(c, c.place.In("batch_input", i), c.config.batch_input(i), inputs, input_targets);
  }
  for (int i = 0; i < c.config.batch_output_size(); ++i) {
    CheckBatchOutput(c, c.place.In("batch_output", i), c.config.batch_output(i), inputs, outputs, output_targets);
  }
  if (!c.never_batches()) return;
  const auto needs_batches = [&](std::string_view field, int count) {
    if (count == 0) return;
    c.problems.push_back(c.place.At(field, std::string(field) + " needs a max_batch_size above 0 for " + c.model));
  };
  needs_batches("batch_input", c.config.batch_input_size());
  needs_batches("batch_output", c.config.batch_output_size());
}

}  // namespace inferd::config
