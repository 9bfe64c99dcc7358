#include "protocols/oip_http/codec/request/parameters_json.h"

#include <gtest/gtest.h>

#include <limits>

#include "protocols/v2/parameters.h"

namespace inferd::oip_http {
namespace parameters_json_test {

base::Result<core::Parameters> Read(std::string_view text, std::string_view owner = "") {
  json::Reader reader(text);
  return ReadParameters(reader, owner);
}

TEST(ReadParametersTest, KeepsKindsAndOrder) {
  const auto parameters =
      Read(R"({"t":"a\u0000b","i":-9223372036854775808,"u":18446744073709551615,"d":1e3,"b":true,"e":""})");
  ASSERT_TRUE(parameters.has_value()) << parameters.error().ToString();
  const core::Parameters expected = {{"t", std::string("a\0b", 3)},
                                     {"i", std::numeric_limits<int64_t>::min()},
                                     {"u", std::numeric_limits<uint64_t>::max()},
                                     {"d", 1000.0},
                                     {"b", true},
                                     {"e", std::string()}};
  EXPECT_EQ(*parameters, expected);
  EXPECT_TRUE(Read("{}")->empty());
}

TEST(ReadParametersTest, ErrorsNameOwnerKeyExpectedAndGot) {
  const std::string error = Read(R"({"good":1,"bad":{"x":1}})", "input 'y'").error().message();
  EXPECT_EQ(error,
            "input 'y': parameter 'bad' has invalid type. Expected a string, a number or a boolean, got an object at "
            "byte 16");
  EXPECT_EQ(Read(R"({"bad":null})").error().message(),
            "parameter 'bad' has invalid type. Expected a string, a number or a boolean, got null at byte 7");
  EXPECT_NE(Read("[]", "input 'y'").error().message().find("input 'y': 'parameters'"), std::string::npos);
  EXPECT_FALSE(Read(R"({"a":1,"a":2})").has_value());
  EXPECT_FALSE(Read(R"({"a":1e999})").has_value());
}

TEST(ReadParametersTest, AreLimited) {
  std::string text = "{";
  for (size_t i = 0; i <= v2::kParametersMax; ++i) text += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + "\":1";
  EXPECT_NE(Read(text + "}").error().message().find("more than 256 parameters"), std::string::npos);
}

TEST(WriteParametersTest, WritesWhatWasRead) {
  const std::string text = R"({"t":"\"","i":-1,"u":18446744073709551615,"d":0.5,"b":false})";
  json::Writer writer;
  WriteParameters(writer, *Read(text));
  EXPECT_EQ(writer.TakeString(), text);
}

}  // namespace parameters_json_test
}  // namespace inferd::oip_http
