#include "config/tfs/model_server_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <google/protobuf/text_format.h>

#include "tfs/model_server_config.pb.h"

namespace inferd::config {
namespace model_server_config_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string ServerConfigError(std::string_view text) {
  const auto parsed = ParseModelServerConfig(text, "models.config");
  return parsed.has_value() ? "" : parsed.error().message();
}

constexpr std::string_view kTwoModels = R"(
model_config_list {
  config { name: "a" base_path: "/models/a" model_platform: "tensorflow"
           model_version_policy { specific { versions: 1 versions: 7 } }
           version_labels { key: "stable" value: 1 } version_labels { key: "canary" value: 7 } }
  config { name: "b" base_path: "/models/b" model_type: TENSORFLOW model_version_policy { latest { } } }
})";

TEST(ModelServerConfigTest, ModelsWithPoliciesAndLabels) {
  const auto config = ParseModelServerConfig(kTwoModels, "f");
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  ASSERT_EQ(config->models->size(), 2u);
  const ServedModel& a = config->models->at(0);
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.base_path, "/models/a");
  EXPECT_EQ(a.platform, "tensorflow");
  EXPECT_EQ(a.version_policy.kind, VersionPolicyKind::kSpecific);
  EXPECT_THAT(a.version_policy.specific, ElementsAre(1, 7));
  EXPECT_EQ(a.version_labels, (VersionLabels{{"canary", 7}, {"stable", 1}}));
  EXPECT_EQ(config->models->at(1).version_policy, VersionPolicy());
  EXPECT_THAT(config->warnings, IsEmpty());
}

TEST(ModelServerConfigTest, AnEmptyListIsNotNoList) {
  EXPECT_EQ(ParseModelServerConfig("", "f").value().models, std::nullopt);
  EXPECT_THAT(ParseModelServerConfig("model_config_list { }", "f").value().models.value(), IsEmpty());
  EXPECT_THAT(DecodeModelServerConfig({"\x0a\x00", 2}).value().models.value(), IsEmpty());
}

TEST(ModelServerConfigTest, AReloadCallHasAList) {
  tensorflow::serving::ModelServerConfig custom;
  custom.mutable_custom_model_config();
  for (const auto& message : {std::string(), custom.SerializeAsString()}) {
    const base::Status status = DecodeModelServerConfig(message).error();
    EXPECT_EQ(status.code(), base::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(),
              "ServerModelConfig type not supported by HandleReloadConfigRequest. Only ModelConfigList is currently "
              "supported");
  }
}

TEST(ModelServerConfigTest, ProblemsHaveTheirPlaces) {
  EXPECT_EQ(ServerConfigError("model_config_list {\n config { nam: \"a\" } }"),
            "Error parsing text-format tensorflow.serving.ModelServerConfig: models.config:2:11: Message type "
            "\"tensorflow.serving.ModelConfig\" has no field named \"nam\". (did you mean 'name'?)");
  EXPECT_EQ(ServerConfigError(
                "model_config_list { config {\n name: \"a\"\n base_path: \"rel\" model_platform: \"tensorflow\" } }"),
            "models.config:3:2: model_config_list.config[0].base_path: Expected model a to have an absolute path or "
            "URI; got base_path()=rel");
  EXPECT_EQ(ServerConfigError(
                "model_config_list {\n config { name: \"a\" base_path: \"/a\" model_platform: \"tensorflow\" }\n"
                " config { name: \"a\" base_path: \"/b\" model_platform: \"tensorflow\" } }"),
            "models.config:3:11: model_config_list.config[1].name: Illegal to list model a multiple times in config "
            "list");
  EXPECT_THAT(ServerConfigError("model_config_list { config { name: \"a\" base_path: \"/a\" } }"),
              HasSubstr("Illegal setting neither"));
  EXPECT_THAT(ServerConfigError("model_config_list { config { name: \"a\" base_path: \"/a\" model_type: TENSORFLOW "
                                "model_platform: \"tensorflow\" } }"),
              HasSubstr("Illegal setting both"));
  EXPECT_THAT(
      ServerConfigError("model_config_list { config { base_path: \"/a\" model_platform: \"tensorflw\" } }"),
      HasSubstr("a model must have a name\nmodels.config:1:46: model_config_list.config[0].model_platform: there "
                "is no platform 'tensorflw'; known: tensorflow, tensorflow_savedmodel"));
  EXPECT_THAT(
      ServerConfigError("model_config_list { config { name: \"a\" base_path: \"/a\" model_platform: \"tensorflow\" "
                        "version_labels { key: \"x\" value: -1 } } }"),
      HasSubstr("a label needs a name and a version of 0 or more"));
}

TEST(ModelServerConfigTest, CustomConfigurationsAreNotServed) {
  const auto custom = ParseModelServerConfig("custom_model_config { type_url: \"x\" }", "f");
  EXPECT_EQ(custom.error().code(), base::StatusCode::kUnimplemented);
}

// Returns one model with additional fields.
std::string ModelWith(const std::string& fields) {
  return "model_config_list {\n config { name: \"a\" base_path: \"/a\" model_platform: \"onnx_onnxv1\"\n" + fields +
         "} }";
}

TEST(ModelServerConfigTest, WhatIsLogged) {
  const std::string half =
      "{ log_collector_config { type: \"x\" filename_prefix: \"/l\" } sampling_config { sampling_rate: 0.5 } } ";
  for (const auto& [fields, warnings] :
       {std::pair{"logging_config " + half, 0u}, std::pair{"logging_configs " + half + "logging_configs { }", 1u}}) {
    const auto config = ParseModelServerConfig(ModelWith(fields), "f");
    ASSERT_TRUE(config.has_value()) << config.error().ToString();
    EXPECT_EQ(config->models->at(0).request_logging, (RequestLogging{.filename_prefix = "/l", .sampling_rate = 0.5}));
    EXPECT_EQ(config->warnings.size(), warnings);
  }
  EXPECT_FALSE(ParseModelServerConfig(ModelWith("logging_config { }"), "f")->models->at(0).request_logging.has_value());
}

TEST(ModelServerConfigTest, WhatCannotBeLogged) {
  const auto sampled = [](const std::string& rate) {
    return ServerConfigError(ModelWith("logging_config { sampling_config { sampling_rate: " + rate + " } }"));
  };
  for (const char* rate : {"1.5", "-1", "nan"}) EXPECT_THAT(sampled(rate), HasSubstr("must be from 0 to 1")) << rate;
  EXPECT_THAT(sampled("1"), HasSubstr("models.config:3:1: model_config_list.config[0].logging_config: "
                                      "log_collector_config.filename_prefix must say where the files are to be"));
}

TEST(ModelServerConfigTest, MessagesSayTheSameAsTexts) {
  tensorflow::serving::ModelServerConfig message;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(kTwoModels), &message));
  EXPECT_EQ(DecodeModelServerConfig(message.SerializeAsString())->models,
            ParseModelServerConfig(kTwoModels, "f")->models);
  message.mutable_model_config_list()->mutable_config(1)->set_name("a");
  EXPECT_EQ(DecodeModelServerConfig(message.SerializeAsString()).error().message(),
            "model_config_list.config[1].name: Illegal to list model a multiple times in config list");
  EXPECT_EQ(DecodeModelServerConfig("\xff").error().code(), base::StatusCode::kInvalidArgument);
}

TEST(ModelServerConfigTest, BasePathsMayBeUrisOfThisMachine) {
  const auto read = ParseModelServerConfig(
      "model_config_list { config { name: \"m\" base_path: \"file:///models/m\" model_platform: \"tensorflow\" } }",
      "f");
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  EXPECT_EQ(read->models->front().base_path, "/models/m");
}

TEST(ModelServerConfigTest, TheFirstRateThatHoldsForAnyTaskCounts) {
  const auto rate = [](const std::string& tasks) {
    const auto read = ParseModelServerConfig(
        "model_config_list { config { name: \"m\" base_path: \"/m\" model_platform: \"tensorflow\" logging_config { "
        "log_collector_config { filename_prefix: \"/p\" } sampling_config { sampling_rate: 0.5 " +
            tasks + " } } } }",
        "f");
    return read.has_value() ? read->models->front().request_logging->sampling_rate : -1;
  };
  EXPECT_EQ(rate(""), 0.5);
  EXPECT_EQ(rate("per_task_sampling_configs { dc: \"aa\" sampling_rate: 1 }"), 0.5);
  EXPECT_EQ(rate("per_task_sampling_configs { dc: \"aa\" sampling_rate: 1 } per_task_sampling_configs { sampling_rate: "
                 "0.25 }"),
            0.25);
  EXPECT_EQ(rate("per_task_sampling_configs { task_index: 3 sampling_rate: 1 }"), 0.5);
}

}  // namespace model_server_config_test
}  // namespace inferd::config
