#include "config/model/dependency_place.h"

#include <gtest/gtest.h>

#include "config/model/model_config_parser.h"

namespace inferd::config {
namespace {

std::string PlaceOf(const Dependency& dependency) {
  const auto config = ParseModelConfig(
      "inferd {\n depends_on { model: 'a' }\n depends_on { model: 'a' version: 2 } }\n"
      "ensemble_scheduling {\n step { model_name: 'b' } }",
      "c");
  return AtDependency(*config->document, dependency, "is unknown").ToString();
}

TEST(DependencyPlaceTest, IsWhereItIsWritten) {
  EXPECT_EQ(PlaceOf({"a"}), "c:2:15: inferd.depends_on[0].model: is unknown");
  EXPECT_EQ(PlaceOf({"a", 2}), "c:3:15: inferd.depends_on[1].model: is unknown");
  EXPECT_EQ(PlaceOf({"b"}), "c:5:9: ensemble_scheduling.step[0].model_name: is unknown");
}

}  // namespace
}  // namespace inferd::config
