#include "ctl/text/table.h"

#include <gtest/gtest.h>

namespace inferd::ctl {
namespace {

TEST(TableTest, AlignsItsColumns) {
  Table table({"NAME", "N"});
  table.Add({"a", "1"});
  table.Add({"größer\n", "200"});
  table.AlignRight({1});
  EXPECT_EQ(table.ToString(),
            "NAME       N\n"
            "a          1\n"
            "größer?  200\n");
}

TEST(TableTest, PrettyJsonBreaksLines) {
  EXPECT_EQ(PrettyJson(R"({"a":{"b":[1, 2,3],"c":[],"d":{ }},"e":["x:,{\"",{"f":null}]})"),
            "{\n"
            "  \"a\": {\n"
            "    \"b\": [1, 2, 3],\n"
            "    \"c\": [],\n"
            "    \"d\": {}\n"
            "  },\n"
            "  \"e\": [\n"
            "    \"x:,{\\\"\",\n"
            "    {\n"
            "      \"f\": null\n"
            "    }\n"
            "  ]\n"
            "}");
  EXPECT_EQ(PrettyJson("{\"a"), "{\n  \"a");
  EXPECT_EQ(PrettyJson("]]"), "\n]\n]");
}

TEST(TableTest, DurationsHaveThreeDigits) {
  EXPECT_EQ(DurationText(0), "0.00 ns");
  EXPECT_EQ(DurationText(999), "999 ns");
  EXPECT_EQ(DurationText(1234), "1.23 us");
  EXPECT_EQ(DurationText(45'600'000), "45.6 ms");
  EXPECT_EQ(DurationText(123e9), "123 s");
}

}  // namespace
}  // namespace inferd::ctl
