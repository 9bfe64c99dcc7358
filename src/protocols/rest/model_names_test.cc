#include "protocols/rest/model_names.h"

#include <gtest/gtest.h>

#include <vector>

namespace inferd::rest {
namespace {

TEST(ModelNamesTest, AreListedAsKserveHasThem) {
  const std::vector<std::string> names = {"a", "b"};
  EXPECT_EQ(ModelNamesJson(names), R"({"models":["a","b"]})");
  EXPECT_EQ(ModelNamesJson({}), R"({"models":[]})");
}

}  // namespace
}  // namespace inferd::rest
