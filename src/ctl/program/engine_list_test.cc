#include "ctl/program/engine_list.h"

#include <gmock/gmock.h>

namespace inferd::ctl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EngineListTest, HasThePartsOfWhatWasPrinted) {
  const auto list = ParseEngineList(
      R"({"directory":"/lib","engines":[{"name":"a","version":"1","library":"/lib/a.so","devices":["CPU","GPU 0"],)"
      R"("formats":[{"name":"A","files":["*.a","*.b with *.c"]}]}],)"
      R"("missing":[{"name":"m","install":"get m","formats":[]}],"problems":["why"],"new":{}})");
  ASSERT_TRUE(list.has_value()) << list.error().message();
  EXPECT_EQ(list->directory, "/lib");
  ASSERT_EQ(list->engines.size(), 1u);
  EXPECT_EQ(list->engines[0].name, "a");
  EXPECT_EQ(list->engines[0].version, "1");
  EXPECT_THAT(list->engines[0].devices, ElementsAre("CPU", "GPU 0"));
  ASSERT_EQ(list->engines[0].formats.size(), 1u);
  EXPECT_EQ(list->engines[0].formats[0].name, "A");
  EXPECT_THAT(list->engines[0].formats[0].files, ElementsAre("*.a", "*.b with *.c"));
  ASSERT_EQ(list->missing.size(), 1u);
  EXPECT_EQ(list->missing[0].install, "get m");
  EXPECT_THAT(list->problems, ElementsAre("why"));
}

TEST(EngineListTest, RefusesOtherTexts) {
  EXPECT_FALSE(ParseEngineList("").has_value());
  EXPECT_FALSE(ParseEngineList("[]").has_value());
  EXPECT_FALSE(ParseEngineList(R"({"engines":[{"name":1}]})").has_value());
  EXPECT_THAT(ParseEngineList("{}")->engines, IsEmpty());
}

}  // namespace
}  // namespace inferd::ctl
