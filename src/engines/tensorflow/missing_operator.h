#pragma once

#include <string>

namespace inferd::tensorflow {

// What TensorFlow says of a graph that it cannot load, preceded, where the reason is an operator that TensorFlow itself
// does not have, by that operator's name, the package that it comes with, as far as it is known, and what can be done.
std::string WithMissingOperator(std::string message);

}  // namespace inferd::tensorflow
