#include "engines/rewrite/netdef/operators/rules.h"

#include <algorithm>

namespace inferd::netdef {

std::array<std::span<const Rule>, 6> AllRules() {
  return {ConvolutionRules(), LayerRules(), ElementwiseRules(), ShapeRules(), ReductionRules(), FillRules()};
}

const Rule* FindRule(std::string_view type) {
  for (const auto rules : AllRules()) {
    const auto found = std::ranges::find(rules, type, &Rule::type);
    if (found != rules.end()) return &*found;
  }
  return nullptr;
}

}  // namespace inferd::netdef
