#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "data/json/writer.h"
#include "kserve/model/resolve/review.h"

namespace inferd::ctl {

// What `inferctl validate` found in files of objects.
struct ManifestReport {
  std::vector<std::string> problems;  // of files that could not be read
  std::vector<model::ObjectReview> reviews;
  std::map<const model::Object*, std::string> files;  // where each stands

  size_t problem_count() const;
};

// As lines to read, with what to do next.
void PrintManifestReport(std::ostream& stream, const ManifestReport& report);

// As a JSON object.
void WriteManifestReport(json::Writer& writer, const ManifestReport& report);

}  // namespace inferd::ctl
