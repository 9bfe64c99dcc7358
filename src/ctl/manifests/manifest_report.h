#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "data/json/writer.h"
#include "kserve/model/resolve/review.h"

namespace inferd::ctl {

// The result of `inferctl validate` for files of objects.
struct ManifestReport {
  std::vector<std::string> problems;  // for files that could not be read
  std::vector<model::ObjectReview> reviews;
  std::map<const model::Object*, std::string> files;  // the file of each object

  size_t problem_count() const;
};

// Prints the report as text, with advice what to do next.
void PrintManifestReport(std::ostream& stream, const ManifestReport& report);

// Writes the report as a JSON object.
void WriteManifestReport(json::Writer& writer, const ManifestReport& report);

}  // namespace inferd::ctl
