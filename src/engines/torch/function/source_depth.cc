#include "engines/torch/function/source_depth.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace inferd::torchscript {

namespace {

// Real models have less than a tenth of these; a loading thread's stack has room for several times as much.
constexpr size_t kBracketsMax = 500;
constexpr size_t kOperatorsMax = 3000;  // in one expression; commas end it
constexpr size_t kIndentMax = 400;      // spaces
constexpr size_t kBranchesMax = 500;    // elif, in one file
constexpr size_t kClassesMax = 20000;   // in one file

constexpr std::string_view kOperators = "+-*/%&|^<>=!~.@ \t";

// Reads a source from left to right.
class DepthReader final {
 public:
  explicit DepthReader(std::string_view source) : left_(source) {}

  base::Status Read() {
    while (!left_.empty()) {
      if (at_line_) INFERD_RETURN_IF_ERROR(BeginLine());
      if (left_.empty()) break;
      const char letter = left_.front();
      left_.remove_prefix(1);
      INFERD_RETURN_IF_ERROR(Take(letter));
    }
    return base::OkStatus();
  }

 private:
  static base::Status TooMany(const char* what) {
    return base::InvalidArgument(std::string("the model's source has ") + what);
  }

  base::Status BeginLine() {
    at_line_ = false;
    const size_t indent = std::min(left_.find_first_not_of(" \t"), left_.size());
    left_.remove_prefix(indent);
    if (indent > kIndentMax) return TooMany("blocks that are nested too deeply");
    if (left_.starts_with("class") && ++classes_ > kClassesMax) return TooMany("too many classes");
    if (left_.starts_with("elif") && ++branches_ > kBranchesMax) return TooMany("too many branches");
    return base::OkStatus();
  }

  base::Status Take(char letter) {
    if (letter == '"' || letter == '\'') {
      SkipText(letter);
    } else if (letter == '#') {
      left_.remove_prefix(std::min(left_.find('\n'), left_.size()));
    } else if (letter == '\n') {
      at_line_ = true;
      if (open_.size() == 1) EndExpression();
    } else if (letter == '(' || letter == '[' || letter == '{') {
      open_.push_back(0);
      if (open_.size() > kBracketsMax) return TooMany("brackets that are nested too deeply");
    } else if (letter == ')' || letter == ']' || letter == '}') {
      EndExpression();
      if (open_.size() > 1) open_.pop_back();
    } else if (letter == ',') {
      EndExpression();
    } else if (kOperators.find(letter) != std::string_view::npos) {
      ++open_.back();
      if (++operators_ > kOperatorsMax) return TooMany("an expression of too many operators");
    }
    return base::OkStatus();
  }

  void EndExpression() {
    operators_ -= open_.back();
    open_.back() = 0;
  }

  void SkipText(char quote) {
    bool escaped = false;
    size_t end = 0;
    while (end < left_.size() && (escaped || left_[end] != quote) && left_[end] != '\n') {
      escaped = !escaped && left_[end] == '\\';
      ++end;
    }
    // The end of a line ends an unterminated text: later brackets count.
    left_.remove_prefix(end < left_.size() && left_[end] == quote ? end + 1 : end);
  }

  std::string_view left_;
  bool at_line_ = true;
  std::vector<size_t> open_ = {0};  // operators so far in the expression of each open bracket, and outside of them
  size_t operators_ = 0;            // sum over all of them
  size_t branches_ = 0;
  size_t classes_ = 0;
};

}  // namespace

base::Status CheckSourceDepth(std::string_view source) { return DepthReader(source).Read(); }

}  // namespace inferd::torchscript
