#include "ctl/import/properties.h"

#include <gmock/gmock.h>

namespace inferd::ctl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(PropertiesTest, HasKeysAndValues) {
  EXPECT_THAT(ParseProperties("# comment\n! another\n\n a = 1 \nb:2\r\nc\na=3\nurl=http://h:1/x=y"),
              ElementsAre(Pair("a", "3"), Pair("b", "2"), Pair("c", ""), Pair("url", "http://h:1/x=y")));
  EXPECT_THAT(ParseProperties(""), IsEmpty());
}

TEST(PropertiesTest, LinesGoOn) {
  EXPECT_THAT(ParseProperties("models={\\\n  \"m\": {}\\\n}\nb=1"),
              ElementsAre(Pair("b", "1"), Pair("models", "{\"m\": {}}")));
  EXPECT_THAT(ParseProperties("a=1\\"), ElementsAre(Pair("a", "1")));
  EXPECT_THAT(ParseProperties("# comment\\\na=1"), ElementsAre(Pair("a", "1"))) << "a comment does not go on";
}

}  // namespace
}  // namespace inferd::ctl
