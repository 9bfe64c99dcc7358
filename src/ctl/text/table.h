#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace inferd::ctl {

// A table of text with aligned columns, separated by two spaces. The first row is the heading. Control characters in
// cells are shown as '?', so that a server's text cannot control the terminal.
class Table {
 public:
  explicit Table(std::vector<std::string> heading) { Add(std::move(heading)); }
  void Add(std::vector<std::string> row);
  // Right-aligns columns (counted from 0), for numbers.
  Table& AlignRight(std::vector<size_t> columns);
  std::string ToString() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> right_;
};

// Formats valid JSON with line breaks and two spaces per level. Arrays of numbers stay on one line.
std::string PrettyJson(std::string_view json);

// Formats a time with three digits: "1.23 ms", "45.6 us".
std::string DurationText(double ns);

}  // namespace inferd::ctl
