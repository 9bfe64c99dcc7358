#include "ctl/text/metric_samples.h"

#include <cstdlib>
#include <utility>

namespace inferd::ctl {

namespace {

// Removes `name="value",` from the beginning of `text`, and unescapes the value. Returns false if there is no label.
bool TakeLabel(std::string_view& text, MetricSample& sample) {
  const size_t equals = text.find("=\"");
  if (equals == std::string_view::npos) return false;
  std::string value;
  for (size_t i = equals + 2; i < text.size(); ++i) {
    if (text[i] == '"') {
      sample.labels[std::string(text.substr(0, equals))] = std::move(value);
      text.remove_prefix(i + 1);
      if (text.starts_with(',')) text.remove_prefix(1);
      return true;
    }
    if (text[i] != '\\') {
      value += text[i];
    } else if (++i < text.size()) {
      value += text[i] == 'n' ? '\n' : text[i];
    }
  }
  return false;
}

bool Read(std::string_view line, MetricSample& sample) {
  if (line.starts_with('{')) {
    line.remove_prefix(1);
    while (!line.starts_with('}')) {
      if (!TakeLabel(line, sample)) return false;
    }
    line.remove_prefix(1);
  }
  if (!line.starts_with(' ')) return false;
  const std::string number(line.substr(1));
  char* end = nullptr;
  sample.value = std::strtod(number.c_str(), &end);
  return end != number.c_str();
}

}  // namespace

std::vector<MetricSample> FindSamples(std::string_view page, std::string_view metric) {
  std::vector<MetricSample> samples;
  while (!page.empty()) {
    const size_t end = page.find('\n');
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(end == std::string_view::npos ? page.size() : end + 1);
    if (!line.starts_with(metric)) continue;
    MetricSample sample;
    if (Read(line.substr(metric.size()), sample)) samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace inferd::ctl
