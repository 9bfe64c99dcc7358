#pragma once

#include <compare>
#include <string>
#include <vector>

namespace inferd::core {

// A way through a model's graph that none of its signatures takes. Names are those that tensors ("operator:output", or
// "operator" for its first output) and operators have in the graph.
struct GraphCall {
  std::vector<std::string> feeds;    // tensors whose values requests bring; each once
  std::vector<std::string> fetches;  // tensors that are the answer; each once
  std::vector<std::string> targets;  // operators that run besides

  auto operator<=>(const GraphCall&) const = default;
};

}  // namespace inferd::core
