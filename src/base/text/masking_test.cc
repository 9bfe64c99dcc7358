#include "base/text/masking.h"

#include <gtest/gtest.h>

#include <vector>

namespace inferd::base {
namespace {

TEST(MaskingTest, AUriIsShownWithoutUserAndParameters) {
  EXPECT_EQ(ShownUri("https://me:secret@host/a?sig=secret"), "https://host/a?...");
  EXPECT_EQ(ShownUri("https://host/a@b"), "https://host/a@b");
  EXPECT_EQ(ShownUri("https://me:p@ss@host"), "https://host");
  EXPECT_EQ(ShownUri("/models/a"), "/models/a");
}

TEST(MaskingTest, EachSecretIsHidden) {
  const std::vector<std::string> secrets = {"hunter2", "", "p"};
  EXPECT_EQ(Masked("ERR unknown command AUTH hunter2hunter2", secrets), "ERR unknown command AUTH ......");
  EXPECT_EQ(Masked("p up", secrets), "... u...");
  EXPECT_EQ(Masked("hunter 2", secrets), "hunter 2");
  EXPECT_EQ(Masked("", secrets), "");
  EXPECT_EQ(Masked("as it is", {}), "as it is");
}

TEST(MaskingTest, ASecretThatWasCutIsHiddenFromItsEighthByteOn) {
  const std::vector<std::string> secrets = {"abcdefghijkl"};
  EXPECT_EQ(Masked("got abcdefgh", secrets), "got ...");
  EXPECT_EQ(Masked("got abcdefghij!", secrets), "got ...!");
  EXPECT_EQ(Masked("got abcdefg", secrets), "got abcdefg");
}

}  // namespace
}  // namespace inferd::base
