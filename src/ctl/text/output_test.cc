#include "ctl/text/output.h"

#include <gtest/gtest.h>

#include <sstream>

namespace inferd::ctl {
namespace {

TEST(OutputTest, WritesIndentedJson) {
  std::ostringstream stream;
  json::Writer writer;
  writer.BeginObject();
  writer.Member("a", 1);
  writer.EndObject();
  Output{stream}.Write(writer);
  EXPECT_EQ(stream.str(), "{\n  \"a\": 1\n}\n");
}

TEST(OutputTest, AServersJsonIsCheckedFirst) {
  std::ostringstream stream;
  const Output output{stream, true};
  for (const char* malformed : {"", "{", "{}{}", "{\"a\":NaN}", "<html>"}) {
    EXPECT_EQ(output.WriteServerJson(malformed).code(), base::StatusCode::kInternal) << malformed;
  }
  EXPECT_EQ(stream.str(), "");
  EXPECT_TRUE(output.WriteServerJson(" {\"a\":1}\n").ok());
  EXPECT_EQ(stream.str(), "{\n  \"a\": 1\n}\n");
}

}  // namespace
}  // namespace inferd::ctl
