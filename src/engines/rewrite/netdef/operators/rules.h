#pragma once

#include <array>
#include <span>
#include <string_view>

#include "engines/rewrite/netdef/graph/step.h"

namespace inferd::netdef {

// The conversion of operators of one type to ONNX. A rule requests every argument that it knows. It writes nodes that
// give the same numbers, or refuses.
struct Rule {
  std::string_view type;  // Caffe2's
  void (*write)(Step& step);
  std::string_view onnx = {};  // the operator for `write`, if several rules share it
};

std::span<const Rule> ConvolutionRules();
std::span<const Rule> LayerRules();
std::span<const Rule> ElementwiseRules();
std::span<const Rule> ShapeRules();
std::span<const Rule> ReductionRules();
std::span<const Rule> FillRules();

std::array<std::span<const Rule>, 6> AllRules();

// Null if there is none.
const Rule* FindRule(std::string_view type);

}  // namespace inferd::netdef
