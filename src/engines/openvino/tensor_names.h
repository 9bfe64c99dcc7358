#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace inferd::openvino {

// A model file's names for a tensor: one or more names of the tensor, none in some models, and the name of the operator
// that makes it.
struct NameChoices {
  std::set<std::string> tensor;
  std::string node;
};

// The clients' names of a model's inputs and outputs, in the order of the arguments.
struct TensorNames {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

// Chooses the tensor's own name, or its operator's if it has none. Of several names, an input gets its operator's, and
// an output gets one that no input has (an output that is an unchanged input has the names of both). `graph`: for a
// TensorFlow graph, in which "x:0" is the first output of the operator x, and is called x.
TensorNames ChooseNames(const std::vector<NameChoices>& inputs, const std::vector<NameChoices>& outputs, bool graph);

// Replaces names by those in a signature of the file. `tensors` are the choices from which `chosen` was made.
void UseSignatureNames(const std::vector<NameChoices>& tensors,
                       const std::map<std::string, std::string, std::less<>>& names, std::vector<std::string>* chosen);

}  // namespace inferd::openvino
