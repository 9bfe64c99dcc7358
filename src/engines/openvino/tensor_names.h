#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace inferd::openvino {

// What a model's file calls a tensor: one or more names of the tensor, none in some models, and the name of the
// operator that it comes from.
struct NameChoices {
  std::set<std::string> tensor;
  std::string node;
};

// By which names clients know a model's inputs and outputs. In the order of the arguments.
struct TensorNames {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

// A tensor goes by its own name, and by that of its operator where it has none. Of several names, an input has its
// operator's, and an output one that is no input's: an output that is an input as it came has the names of both.
// `graph`: of a TensorFlow graph, where "x:0" is the first output of the operator x, and is called x.
TensorNames ChooseNames(const std::vector<NameChoices>& inputs, const std::vector<NameChoices>& outputs, bool graph);

// Gives tensors the names that a signature of the file has for them. `tensors` are the choices that `chosen` was made
// from.
void UseSignatureNames(const std::vector<NameChoices>& tensors,
                       const std::map<std::string, std::string, std::less<>>& names, std::vector<std::string>* chosen);

}  // namespace inferd::openvino
