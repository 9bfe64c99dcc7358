#include "bench/harness/median.h"

#include <algorithm>
#include <cstddef>

namespace inferd::bench {

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace inferd::bench
