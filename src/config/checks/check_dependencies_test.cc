#include "config/checks/problems_fixture.h"

namespace inferd::config {
namespace {

using CheckDependenciesTest = ProblemTest;

TEST_P(CheckDependenciesTest, HaveJustThatProblem) { ExpectJustThat(); }

constexpr ProblemCase kDependencies[] = {
    {"inferd { depends_on { model: \"a\" } depends_on { model: \"b\" version: 0 } }", nullptr},
    {"inferd { depends_on { model: \"a\" version: 1 } depends_on { model: \"a\" version: 2 } }", nullptr},
    {"inferd { depends_on {\n version: 1 } }", "2: inferd.depends_on[0]: depends_on must specify 'model' for M"},
    {"inferd { depends_on {\n model: \"../a\" } }",
     "3: inferd.depends_on[0].model: '../a' is no name of a model for M"},
    {"inferd { depends_on {\n model: \".a\" } }", "3: inferd.depends_on[0].model: '.a' is no name of a model for M"},
    {"inferd { depends_on {\n model: \"M\" } }",
     "3: inferd.depends_on[0].model: a model cannot depend on itself for M"},
    {"inferd { depends_on { model: \"a\" }\n depends_on { model: \"a\" } }",
     "3: inferd.depends_on[1]: depends_on names 'a' more than once for M"},
    {"inferd { depends_on { model: \"a\"\n version: -1 } }",
     "3: inferd.depends_on[0].version: a version must be 0 or more, got -1 for M"},
    {"inferd { depends_on { model: \"a\" } explainer { model: \"a\" } }", nullptr},
    {"inferd { explainer {\n version: 1 } }", "2: inferd.explainer: explainer must specify 'model' for M"},
    {"inferd { explainer {\n model: \"M\" } }", "3: inferd.explainer.model: a model cannot depend on itself for M"},
};
INSTANTIATE_TEST_SUITE_P(Dependencies, CheckDependenciesTest, ::testing::ValuesIn(kDependencies));

std::string Dependencies(size_t count) {
  std::string text = "name: 'M' backend: 'b' inferd {";
  for (size_t i = 0; i < count; ++i) text += " depends_on { model: 'm" + std::to_string(i) + "' }";
  return text + " }";
}

TEST(CheckDependenciesCountTest, ThereAreNoMoreThanMayBe) {
  EXPECT_THAT(ProblemsOf(Dependencies(64)), ::testing::IsEmpty());
  EXPECT_THAT(ProblemsOf(Dependencies(65)),
              ::testing::ElementsAre("1: inferd.depends_on: at most 64 dependencies are allowed for M, got 65"));
}

}  // namespace
}  // namespace inferd::config
