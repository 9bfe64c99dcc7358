#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/json/writer.h"

namespace inferd::ctl {

// The parsed output of `inferd --dry-run`. Texts with several lines are without indentation.
struct ValidationReport {
  struct Configuration {
    std::string version;
    std::string text;  // in the format of a config.pbtxt
  };
  struct Model {
    std::string name, folder;
    std::vector<std::string> problems, warnings;
    std::vector<std::string> notes;  // further facts: whether a version batches, and why
    std::vector<Configuration> configurations;
  };
  std::vector<std::string> problems;  // not about a model: an engine that cannot be opened, an unreadable folder
  std::vector<Model> models;
};

ValidationReport ParseValidationReport(std::string_view printed);

// Writes the report as a JSON object. `valid` is true if there is no problem. `write_further` writes
// further members behind those of the report.
void WriteValidationReport(json::Writer& writer, std::string_view path, bool valid, const ValidationReport& report,
                           const std::function<void(json::Writer&)>& write_further = {});

}  // namespace inferd::ctl
