#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace inferd::bench {

// The raw numbers of a benchmark, for bench/plots.py and other analysis: a CSV file (RFC 4180) with a header line.
class Results final {
 public:
  explicit Results(std::vector<std::string> heading) : columns_(heading.size()) { Add(heading); }

  // Adds a row. It must have as many cells as the header.
  void Add(const std::vector<std::string>& cells);
  // Writes the file. Does nothing if the path is empty.
  base::Status Save(const std::string& path) const;

  const std::string& text() const { return text_; }

 private:
  size_t columns_;
  std::string text_;
};

}  // namespace inferd::bench
