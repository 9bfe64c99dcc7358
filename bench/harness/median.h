#pragma once

#include <vector>

namespace inferd::bench {

// 0 of none.
double Median(std::vector<double> values);

}  // namespace inferd::bench
