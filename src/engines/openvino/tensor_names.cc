#include "engines/openvino/tensor_names.h"

#include <algorithm>
#include <string_view>

namespace inferd::openvino {

namespace {

constexpr std::string_view kFirstOutput = ":0";

std::string InputName(const NameChoices& choices) {
  if (choices.tensor.empty() || choices.tensor.contains(choices.node)) return choices.node;
  return *choices.tensor.begin();
}

std::string OutputName(const NameChoices& choices, const std::vector<std::string>& inputs) {
  for (const std::string& name : choices.tensor) {
    if (std::ranges::find(inputs, name) == inputs.end()) return name;
  }
  return choices.tensor.empty() ? choices.node : *choices.tensor.begin();
}

void DropFirstOutput(std::vector<std::string>* names) {
  for (std::string& name : *names) {
    if (!name.ends_with(kFirstOutput)) continue;
    const std::string shorter = name.substr(0, name.size() - kFirstOutput.size());
    if (std::ranges::find(*names, shorter) == names->end()) name = shorter;
  }
}

}  // namespace

TensorNames ChooseNames(const std::vector<NameChoices>& inputs, const std::vector<NameChoices>& outputs, bool graph) {
  TensorNames names;
  for (const NameChoices& input : inputs) names.inputs.push_back(InputName(input));
  for (const NameChoices& output : outputs) names.outputs.push_back(OutputName(output, names.inputs));
  if (graph) {
    DropFirstOutput(&names.inputs);
    DropFirstOutput(&names.outputs);
  }
  return names;
}

}  // namespace inferd::openvino
