#pragma once

#include <string>

namespace inferd::tensorflow {

// Extends TensorFlow's message about a graph that cannot be loaded. If an operator is missing in TensorFlow itself, the
// result begins with its name, its package as far as known, and advice.
std::string WithMissingOperator(std::string message);

}  // namespace inferd::tensorflow
