#include "config/ovms/model_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/model/model_config_parser.h"

namespace inferd::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

base::Result<ModelServerConfig> ParseModels(std::string_view models) {
  return ParseOvmsModelList(R"({"model_config_list": [)" + std::string(models) + "]}", "/conf/config.json");
}

std::string RefusalOf(std::string_view models) {
  const auto parsed = ParseModels(models);
  return parsed.has_value() ? "" : parsed.error().message();
}

TEST(OvmsModelListTest, IsToldByItsFirstLetter) {
  EXPECT_TRUE(IsOvmsModelList(" \n{}"));
  EXPECT_FALSE(IsOvmsModelList("model_config_list {}"));
  EXPECT_FALSE(IsOvmsModelList(" "));
}

TEST(OvmsModelListTest, AModelWithAllThatIsServed) {
  const auto read = ParseModels(R"~({"config": {
      "name": "a", "base_path": "/models/a", "nireq": 3, "target_device": "CPU", "batch_size": 16,
      "shape": "(1,3,-1,20:30)", "model_version_policy": {"specific": {"versions": [1, 7]}}, "allow_cache": true,
      "stateful": false, "plugin_config": {"PERFORMANCE_HINT": "THROUGHPUT", "INFERENCE_NUM_THREADS": 2,
                                           "ENABLE_CPU_PINNING": true}}})~");
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  ASSERT_EQ(read->models->size(), 1u);
  const ServedModel& model = read->models->front();
  EXPECT_EQ(model.name, "a");
  EXPECT_EQ(model.base_path, "/models/a");
  EXPECT_EQ(model.platform, "openvino");
  EXPECT_THAT(model.version_policy.specific, ElementsAre(1, 7));
  const auto config = ModelConfigFromJson(model.config_json);
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->backend, "openvino");
  ASSERT_EQ(config->instance_groups.size(), 1u);
  EXPECT_EQ(config->instance_groups.front().count, 3);
  EXPECT_THAT(config->parameters,
              UnorderedElementsAre(Pair("PERFORMANCE_HINT", "THROUGHPUT"), Pair("INFERENCE_NUM_THREADS", "2"),
                                   Pair("ENABLE_CPU_PINNING", "YES"), Pair("TARGET_DEVICE", "CPU"),
                                   Pair("BATCH_SIZE", "16"), Pair("SHAPE", "(1,3,-1,20:30)")));
}

TEST(OvmsModelListTest, ObjectsMayBeTexts) {
  const auto read = ParseModels(R"~(
      {"config": {"name": "a", "base_path": "a/b", "model_version_policy": "{\"all\": {}}",
                  "plugin_config": "{\"NUM_STREAMS\": \"4\"}", "shape": {"x": "(1,2)", "y": "auto"}}},
      {"config": {"name": "b", "base_path": "file:///b", "model_version_policy": {"latest": {"num_versions": 2}}}})~");
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  const ServedModel& a = read->models->at(0);
  EXPECT_EQ(a.base_path, "/conf/a/b");
  EXPECT_EQ(a.version_policy.kind, VersionPolicyKind::kAll);
  const auto config = ModelConfigFromJson(a.config_json);
  EXPECT_EQ(config->parameters.at("SHAPE"), R"~({"x": "(1,2)", "y": "auto"})~");
  EXPECT_EQ(config->parameters.at("NUM_STREAMS"), "4");
  EXPECT_EQ(read->models->at(1).base_path, "/b");
  EXPECT_EQ(read->models->at(1).version_policy.latest, 2u);
  EXPECT_THAT(ModelConfigFromJson(read->models->at(1).config_json)->instance_groups, IsEmpty());
}

TEST(OvmsModelListTest, AnEmptyListIsNotNoList) {
  EXPECT_EQ(ParseOvmsModelList("{}", "f").value().models, std::nullopt);
  EXPECT_THAT(ParseModels("").value().models.value(), IsEmpty());
  const auto monitored =
      ParseOvmsModelList(R"({"monitoring": {"metrics": {"enable": true}}, "pipeline_config_list": []})", "f");
  EXPECT_THAT(monitored.value().warnings, ElementsAre(HasSubstr("monitoring")));
}

TEST(OvmsModelListTest, MistakesSayWhere) {
  struct Case {
    const char* models;
    const char* says;
  };
  constexpr Case kCases[] = {
      {"{]", "/conf/config.json: JSON at byte"},
      {R"({"config": {"base_path": "/a"}})", "model_config_list[0]: a model must have a name"},
      {R"({"config": {"name": "a"}})", "model_config_list[0], model 'a': a model must have a base_path"},
      {R"({"config": {"name": "a", "base_path": "/a"}}, {"config": {"name": "a", "base_path": "/a"}})",
       "the same name"},
      {R"({"config": {"name": "a", "base_path": "s3://bucket/a"}})", "only folders of this machine"},
      {R"({"config": {"name": "a", "base_path": "/a", "nireq": 5000}})", "nireq must be from 0 to 1024, got 5000"},
      {R"({"config": {"name": "a", "layout": "NHWC:NCHW"}})", "model 'a': field 'layout' is not served"},
      {R"({"config": {"name": "a", "stateful": true}})", "field 'stateful' is not served"},
      {R"({"config": {"name": "a", "colour": "red"}})", "there is no field 'colour'"},
      {R"({"config": {"name": "a", "model_version_policy": {"some": {}}}})", "'all', 'latest' or 'specific'"},
      {R"({"config": {"name": "a", "model_version_policy": {"latest": {"num_versions": 0}}}})",
       "num_versions is 1 or more"},
      {R"({"config": {"name": "a", "plugin_config": {"A": []}}})", "a text, a number, true or false"},
      {R"({"model": {}})", "'config' is expected"},
  };
  for (const Case& each : kCases) EXPECT_THAT(RefusalOf(each.models), HasSubstr(each.says)) << each.models;
  const auto pipelines = ParseOvmsModelList(R"({"pipeline_config_list": [{}]})", "f");
  EXPECT_EQ(pipelines.error().code(), base::StatusCode::kUnimplemented);
  EXPECT_THAT(ParseOvmsModelList(R"({"models": []})", "f").error().message(), HasSubstr("there is no field 'models'"));
}

}  // namespace
}  // namespace inferd::config
