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

void UseSignatureNames(const std::vector<NameChoices>& tensors,
                       const std::map<std::string, std::string, std::less<>>& names, std::vector<std::string>* chosen) {
  const auto name_of = [&](const std::string& tensor) -> const std::string* {
    for (const std::string& form : {tensor, tensor + std::string(kFirstOutput)}) {
      const auto found = names.find(form);
      if (found != names.end()) return &found->second;
    }
    return nullptr;
  };
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string* name = name_of((*chosen)[i]);
    for (const std::string& tensor : tensors[i].tensor) {
      if (name == nullptr) name = name_of(tensor);
    }
    if (name != nullptr && std::ranges::find(*chosen, *name) == chosen->end()) (*chosen)[i] = *name;
  }
}

}  // namespace inferd::openvino
