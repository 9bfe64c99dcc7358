#include "engines/kit/parameters.h"

#include <gtest/gtest.h>

namespace inferd::kit {
namespace {

TEST(ParametersTest, NumbersInTheirRange) {
  int number = 7;
  EXPECT_TRUE(ReadNumber("threads", "12", -1, 12, &number).ok());
  EXPECT_EQ(number, 12);
  EXPECT_TRUE(ReadNumber("threads", "-1", -1, 12, &number).ok());
  EXPECT_EQ(number, -1);
  for (const char* text : {"", "13", "-2", "1 ", " 1", "1.0", "one", "99999999999999999999"}) {
    const base::Status status = ReadNumber("threads", text, -1, 12, &number);
    EXPECT_EQ(status.code(), base::StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(status.message(),
              "parameter 'threads': expected a number from -1 to 12, got '" + std::string(text) + "'");
  }
  EXPECT_EQ(number, -1);
}

TEST(ParametersTest, Flags) {
  bool flag = false;
  EXPECT_TRUE(ReadFlag("on", "true", &flag).ok());
  EXPECT_TRUE(flag);
  EXPECT_TRUE(ReadFlag("on", "0", &flag).ok());
  EXPECT_FALSE(flag);
  EXPECT_TRUE(ReadFlag("on", "1", &flag).ok());
  EXPECT_TRUE(flag);
  EXPECT_FALSE(ReadFlag("on", "yes", &flag).ok());
}

}  // namespace
}  // namespace inferd::kit
