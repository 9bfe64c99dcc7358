#include "engines/rewrite/mxnet/operators/rules.h"

#include <algorithm>

namespace inferd::mxnet {

std::array<std::span<const Rule>, 9> AllRules() {
  return {WindowRules(), LayerRules(),     SoftmaxRules(),   ElementRules(), PairRules(),
          ShapeRules(),  SelectionRules(), ReductionRules(), FillRules()};
}

const Rule* FindRule(std::string_view op) {
  for (const auto rules : AllRules()) {
    const auto found = std::ranges::find(rules, op, &Rule::op);
    if (found != rules.end()) return &*found;
  }
  return nullptr;
}

}  // namespace inferd::mxnet
