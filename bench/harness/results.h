#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace inferd::bench {

// The raw numbers of a benchmark, for bench/plots.py and closer looks: a CSV file (RFC 4180) with a heading.
class Results final {
 public:
  explicit Results(std::vector<std::string> heading) : columns_(heading.size()) { Add(heading); }

  // As many cells as the heading has.
  void Add(const std::vector<std::string>& cells);
  // Writes the file; an empty path writes none.
  base::Status Save(const std::string& path) const;

  const std::string& text() const { return text_; }

 private:
  size_t columns_;
  std::string text_;
};

}  // namespace inferd::bench
