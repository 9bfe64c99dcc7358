#include "protocols/v1/body_members.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text/utf8.h"
#include "serving/core/fake_dispatcher.h"

namespace inferd::v1 {
namespace {

// Returns the keys of a body, or the error.
std::string Keys(std::string_view body, size_t depth_max = 64) {
  std::string keys;
  const base::Status status =
      WalkMembers(body, {.depth_max = depth_max}, [&](json::Reader& reader, std::string_view key) {
        keys.append(keys.empty() ? "" : " ").append(key);
        return SkipMember(reader);
      });
  return status.ok() ? keys : status.message();
}

TEST(BodyMembersTest, WalksAnObject) {
  EXPECT_EQ(Keys(R"( {"a": [1, NaN, -Infinity, Inf], "b\n": {"c": null}} )"), "a b\n");
  EXPECT_EQ(Keys("{}"), "");
  EXPECT_EQ(Keys("7"), "JSON Value: 7 Is not object");
  EXPECT_EQ(Keys("  [1, 2] "), "JSON Value: [1, 2] Is not object");
}

TEST(BodyMembersTest, ErrorsSayWhereTheyAre) {
  EXPECT_EQ(Keys(""), "JSON Parse error: The document is empty");
  EXPECT_TRUE(Keys("{\"a\": }").ends_with(" at offset: 6")) << Keys("{\"a\": }");
  for (const char* body : {" ", "{", "[", "{\"a\"", "{\"a\": 1", "{\"a\": 1}}", "{\"a\": 1, \"a\": 2}", "[1", "x"}) {
    EXPECT_TRUE(Keys(body).starts_with("JSON Parse error: ")) << body;
    EXPECT_NE(Keys(body).find(" at offset: "), std::string::npos) << body;
  }
  EXPECT_TRUE(Keys("{\"a\": [[[]]]}", 3).starts_with("JSON Parse error: nested deeper than 3 levels"));
}

TEST(BodyMembersTest, AMemberMayRefuse) {
  const base::Status status = WalkMembers(
      "{\"a\": 1", {}, [](json::Reader&, std::string_view) -> base::Status { return base::ResourceExhausted("no"); });
  EXPECT_EQ(status, base::ResourceExhausted("no"));
}

TEST(BodyMembersTest, LongBodiesAreQuotedInPart) {
  const std::string body = "{\"a\": \"" + std::string(10'000, 'x') + "\"}";
  EXPECT_LT(FormatError(body, "what").message().size(), 300u);
  EXPECT_TRUE(FormatError(body, "what").message().ends_with("... what"));
  // Must not cut inside a character.
  std::string wide = "{\"a\": \"";
  for (int i = 0; i < 300; ++i) wide += "\xE2\x82\xAC";
  const std::string quoted = QuoteBody(wide + "\"}");
  EXPECT_TRUE(base::IsUtf8(quoted)) << quoted;
}

TEST(SignatureNameTest, NamesASignature) {
  const auto read = [](std::string_view value) {
    json::Reader reader(value);
    SignatureName signature;
    EXPECT_TRUE(signature.Read(reader).ok());
    return signature;
  };
  core::ModelSignature signature;
  EXPECT_TRUE(read("\"\"").Names(signature));
  EXPECT_TRUE(read("\"serving_default\"").Names(signature));
  EXPECT_FALSE(read("\"x\"").Names(signature));
  signature.name = "x";
  EXPECT_TRUE(read("\"x\"").Names(signature));
  EXPECT_FALSE(read("\"\"").Names(signature));
  EXPECT_TRUE(read("\"x\"").Check("{}").ok());
  EXPECT_EQ(read("null").Check("{}").message(),
            "JSON Value: {} not formatted correctly. 'signature_name' key must be a string value.");
}

TEST(SignatureNameTest, IsFoundAheadOfTheTensors) {
  core::FakePinned model;
  core::ModelSignature signature;
  signature.name = "x_y";
  model.AddSignature(signature);
  const auto chosen = [&](std::string_view body) { return ChosenSignature(body, model, {}); };
  EXPECT_EQ(chosen(R"({"instances": [1]})"), 0u);
  EXPECT_EQ(chosen(R"({"signature_name": "x_y", "instances": [1, }])"), 1u) << "what follows is for the reader";
  EXPECT_EQ(chosen(R"({"instances": [{"signature_name": "no"}], "signature_name": "x_y"})"), 1u);
  EXPECT_EQ(chosen(R"({"signature\u005fname": "x\u005fy"})"), 1u);
  EXPECT_EQ(chosen(R"({"signature_name": "z"})"), 0u);
  EXPECT_EQ(chosen(R"({"signature_name": 1})"), 0u);
  EXPECT_EQ(chosen(R"(signature_name)"), 0u);
}

TEST(BodyMembersTest, WhatFollowsTheObjectMayNotMatter) {
  const auto skip = [](json::Reader& reader, std::string_view) { return SkipMember(reader); };
  EXPECT_TRUE(WalkMembers("{} }garbage", {.trailing_bytes = true}, skip).ok());
  EXPECT_FALSE(WalkMembers("{} }garbage", {}, skip).ok());
  EXPECT_FALSE(WalkMembers("{", {.trailing_bytes = true}, skip).ok());
}

}  // namespace
}  // namespace inferd::v1
