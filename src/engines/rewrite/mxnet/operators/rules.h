#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "engines/rewrite/mxnet/graph/step.h"

namespace inferd::mxnet {

// The conversion of operators of one name to ONNX, opset 17. A rule requests every argument that it knows. It writes
// nodes that give the same numbers, or refuses.
struct Rule {
  std::string_view op;  // MXNet's
  void (*write)(Step& step);
  std::string_view onnx = {};       // the operator for `write`, if several rules share it
  size_t inputs_max = kEntriesMax;  // inputs after these are for training only: labels
};

std::span<const Rule> WindowRules();
std::span<const Rule> LayerRules();
std::span<const Rule> SoftmaxRules();
std::span<const Rule> ElementRules();
std::span<const Rule> PairRules();
std::span<const Rule> ShapeRules();
std::span<const Rule> SelectionRules();
std::span<const Rule> ReductionRules();
std::span<const Rule> FillRules();

std::array<std::span<const Rule>, 9> AllRules();

// Null if there is none.
const Rule* FindRule(std::string_view op);

}  // namespace inferd::mxnet
