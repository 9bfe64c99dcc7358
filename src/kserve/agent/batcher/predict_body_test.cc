#include "kserve/agent/batcher/predict_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace inferd::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ShownBody(std::string_view json) {
  const auto body = ParsePredictBody(json);
  if (!body.has_value()) return std::string(body.error().message());
  return std::to_string(body->count) + " " + std::string(body->instances) + " | " + body->rest;
}

TEST(PredictBodyTest, RowsAndWhatElseThereIs) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"({"instances":[1]})", "1 1 | "},
      {R"( {"instances" : [ [1, 2] , {"a":"],"} ] } )", R"(2  [1, 2] , {"a":"],"}  | )"},
      {R"({"signature_name":"s","instances":[null,NaN],"x":{"y":[]}})",
       R"(2 null,NaN | "signature_name":"s","x":{"y":[]})"},
      {R"({"a\nb":1,"instances":["x"]})", R"(1 "x" | "a\nb":1)"},
  };
  for (const auto& [json, shown] : cases) EXPECT_EQ(ShownBody(json), shown) << json;
}

TEST(PredictBodyTest, WhatIsNoRequestIsRefusedInKServesWords) {
  for (const std::string_view json : {"", "[", "[]", "{\"instances\":[1}", "{\"instances\":1}", "{\"instances\":[1]}x",
                                      "{\"instances\":[1],\"instances\":[2]}"}) {
    EXPECT_THAT(ShownBody(json), StartsWith("can't Unmarshal body")) << json;
  }
  EXPECT_EQ(ShownBody("{}"), "no instances in the request");
  EXPECT_EQ(ShownBody("{\"instances\":[]}"), "no instances in the request");
}

TEST(PredictBodyTest, DepthIsLimited) {
  const std::string deep(100, '[');
  EXPECT_THAT(ShownBody("{\"instances\":" + deep), StartsWith("can't Unmarshal body"));
}

std::string Split(std::string_view json, std::vector<size_t> counts) {
  const auto parts = SplitPredictions(json, counts);
  if (!parts.has_value()) return std::string(parts.error().message());
  std::string shown;
  for (const std::string_view part : *parts) shown += std::string(part) + "|";
  return shown;
}

TEST(PredictBodyTest, EachRequestGetsItsPredictions) {
  EXPECT_EQ(Split(R"({"predictions":[1]})", {1}), "1|");
  EXPECT_EQ(Split(R"({"a":[],"predictions": [ 1, [2,3] ,{"b":4}, "5" ],"c":6})", {2, 1, 1}),
            R"(1, [2,3]|{"b":4}|"5"|)");
}

TEST(PredictBodyTest, TooFewOrTooManyAreRefused) {
  constexpr std::string_view kText = "size of prediction is not equal to the size of instances";
  for (const std::string_view json : {R"({"predictions":[1,2]})", R"({"predictions":[1,2,3,4]})",
                                      R"({"predictions":[]})", R"({"outputs":[1,2,3]})", "{}"}) {
    EXPECT_EQ(Split(json, {1, 2}), kText) << json;
  }
  EXPECT_THAT(Split("no", {1}), HasSubstr("JSON at byte 0"));
  EXPECT_THAT(Split(R"({"predictions":{"a":1}})", {1}), HasSubstr("JSON at byte"));
}

}  // namespace
}  // namespace inferd::agent
