#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace inferd::ctl {

// A sample of a metrics page in Prometheus' text format.
struct MetricSample {
  std::map<std::string, std::string> labels;
  double value = 0;
};

// Returns all samples of the metric, in the page's order. Invalid lines are ignored.
std::vector<MetricSample> FindSamples(std::string_view page, std::string_view metric);

}  // namespace inferd::ctl
