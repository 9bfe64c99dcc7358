#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/json/writer.h"

namespace inferd::ctl {

// What `inferd --dry-run` prints, in its parts. Texts of several lines have them without their indentation.
struct ValidationReport {
  struct Configuration {
    std::string version;
    std::string text;  // as in a config.pbtxt
  };
  struct Model {
    std::string name, folder;
    std::vector<std::string> problems, warnings;
    std::vector<std::string> notes;  // what else is known: whether a version batches, and why
    std::vector<Configuration> configurations;
  };
  std::vector<std::string> problems;  // of no model: an engine that does not open, a folder that cannot be read
  std::vector<Model> models;
};

ValidationReport ParseValidationReport(std::string_view printed);

// The report as a JSON object; `valid`: whether inferd found no problem.
void WriteValidationReport(json::Writer& writer, std::string_view path, bool valid, const ValidationReport& report);

}  // namespace inferd::ctl
