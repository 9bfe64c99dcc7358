#include "config/base_path.h"

#include <gtest/gtest.h>

namespace inferd::config {
namespace {

TEST(BasePathTest, UrisOfThisMachineArePaths) {
  EXPECT_EQ(LocalPath("file:///models/m"), "/models/m");
  EXPECT_EQ(LocalPath("file://localhost/models/m"), "/models/m");
  EXPECT_EQ(LocalPath("/models/m"), "/models/m");
  EXPECT_EQ(LocalPath("gs://bucket/m"), "gs://bucket/m");
  EXPECT_EQ(LocalPath("file://elsewhere/m"), "file://elsewhere/m");
}

TEST(BasePathTest, NamesMayHaveAnything) {
  const auto split = [](std::string_view text) {
    const NamedPath found = SplitNamedPath(text);
    return found.name + " at " + found.path;
  };
  EXPECT_EQ(split("m=/models/m"), "m at /models/m");
  EXPECT_EQ(split("team/x=/models/x"), "team/x at /models/x");
  EXPECT_EQ(split("a=b=/models/x"), "a=b at /models/x");
  EXPECT_EQ(split("m=file:///models/m"), "m at /models/m");
  EXPECT_EQ(split("/models/k=/v"), " at /models/k=/v");
  EXPECT_EQ(split("file:///models/m"), " at /models/m");
  EXPECT_EQ(split("m=models/m"), "m at models/m");
  EXPECT_EQ(split("models/m"), " at models/m");
}

}  // namespace
}  // namespace inferd::config
