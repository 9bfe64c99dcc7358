#pragma once

#include <vector>

namespace inferd::bench {

// Returns the median, or 0 if there are no values.
double Median(std::vector<double> values);

}  // namespace inferd::bench
