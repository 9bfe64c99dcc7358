#pragma once

#include <compare>
#include <string>
#include <vector>

namespace inferd::core {

// A computation of a model's graph that none of its signatures offers. Names are those of tensors ("operator:output",
// or "operator" for its first output) and operators in the graph.
struct GraphCall {
  std::vector<std::string> feeds;    // tensors whose values the request brings; each once
  std::vector<std::string> fetches;  // tensors of the response; each once
  std::vector<std::string> targets;  // further operators to run

  auto operator<=>(const GraphCall&) const = default;
};

}  // namespace inferd::core
