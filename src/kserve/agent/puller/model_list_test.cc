#include "kserve/agent/puller/model_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ModelListTest, ModelsByName) {
  const auto models = ParseModelList(R"([
    {"modelName": "a", "modelSpec": {"storageUri": "s3://b/a", "framework": "onnx", "memory": "1G", "other": []}},
    {"modelName": "B-1_x.y", "modelSpec": {"storageUri": "http://h/m.zip", "memory": 10}, "x": {}}])");
  ASSERT_TRUE(models.has_value()) << models.error().message();
  ASSERT_EQ(models->size(), 2u);
  EXPECT_EQ(models->at("a"), (PulledModel{.storage_uri = "s3://b/a", .framework = "onnx", .memory = "1G"}));
  EXPECT_EQ(models->at("B-1_x.y").memory, "10");
  EXPECT_EQ(models->at("a").ToJson(), R"({"storageUri":"s3://b/a","framework":"onnx","memory":"1G"})");
  EXPECT_THAT(ParseModelList("[]").value(), IsEmpty());
}

TEST(ModelListTest, WhatIsNoListIsRefused) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "JSON at byte 0"},
      {"{}", "JSON at byte 0"},
      {"[1]", "JSON at byte 1"},
      {"[]x", "JSON at byte 2"},
      {R"([{"modelSpec":{"storageUri":"x"}}])", "'' is no name"},
      {R"([{"modelName":"..","modelSpec":{"storageUri":"x"}}])", "is no name"},
      {R"([{"modelName":"a/b","modelSpec":{"storageUri":"x"}}])", "is no name"},
      {R"([{"modelName":".a","modelSpec":{"storageUri":"x"}}])", "is no name"},
      {R"([{"modelName":"a"}])", "has no storageUri"},
      {R"([{"modelName":"a","modelSpec":[]}])", "JSON at byte"},
      {R"([{"modelName":"a","modelSpec":{"storageUri":"x"}},{"modelName":"a","modelSpec":{"storageUri":"x"}}])",
       "is there twice"},
  };
  for (const auto& [json, text] : cases) {
    const auto models = ParseModelList(json);
    ASSERT_FALSE(models.has_value()) << json;
    EXPECT_THAT(models.error().message(), HasSubstr(text)) << json;
  }
}

}  // namespace
}  // namespace inferd::agent
