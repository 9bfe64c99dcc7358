#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/model/model_config_document.h"
#include "config/model/model_config_parser.h"

// Tables of configurations, each with its one problem.

namespace inferd::config {

// Returns the problems of a text, as "line: field: message".
inline std::vector<std::string> ProblemsOf(std::string_view text) {
  const auto config = ParseModelConfig(text, "c");
  if (!config.has_value()) return {config.error().ToString()};
  std::vector<std::string> found;
  for (const Problem& problem : FindProblems(*config->document, "M")) {
    found.push_back(std::to_string(problem.line) + ": " + problem.field + ": " + problem.message);
  }
  return found;
}

// A configuration and its problem. `text` begins on line 2. Without a problem the configuration is valid.
struct ProblemCase {
  const char* text;
  const char* problem;
};

// Prints a failed case for gtest.
inline void PrintTo(const ProblemCase& item, std::ostream* out) { *out << item.text; }

class ProblemTest : public ::testing::TestWithParam<ProblemCase> {
 protected:
  void ExpectJustThat() const {
    const auto found = ProblemsOf(std::string("name: \"M\" backend: \"onnxruntime\"\n") + GetParam().text);
    if (GetParam().problem == nullptr) {
      EXPECT_THAT(found, ::testing::IsEmpty());
    } else {
      EXPECT_THAT(found, ::testing::ElementsAre(GetParam().problem));
    }
  }
};

}  // namespace inferd::config
