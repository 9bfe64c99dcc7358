#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace inferd::ctl {

// Rows of text in aligned columns, two spaces between them; the first row is the heading. A control character in a cell
// is shown as '?', so that what a server says cannot drive the terminal.
class Table {
 public:
  explicit Table(std::vector<std::string> heading) { Add(std::move(heading)); }
  void Add(std::vector<std::string> row);
  // The columns counted from 0 whose cells stand to the right: numbers.
  Table& AlignRight(std::vector<size_t> columns);
  std::string ToString() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> right_;
};

// `json` (valid) with line breaks and two spaces per level; arrays of numbers stay on one line.
std::string PrettyJson(std::string_view json);

// "1.23 ms", "45.6 us": three digits.
std::string DurationText(double ns);

}  // namespace inferd::ctl
