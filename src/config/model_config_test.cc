#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/model_config_completion.h"
#include "config/model_config_document.h"
#include "config/model_config_parser.h"

namespace inferd::config {
namespace {

using tensor::DataType;
using tensor::Shape;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kSimple[] = R"(
name: "simple"
platform: "onnxruntime_onnx"
max_batch_size: 8
input [
  { name: "INPUT0" data_type: TYPE_INT32 dims: [ 16 ] },
  { name: "INPUT1" data_type: TYPE_INT32 dims: [ 16 ] }
]
output { name: "OUTPUT0" data_type: TYPE_INT32 dims: 16 label_filename: "labels.txt" }
instance_group < count: 2 kind: KIND_CPU >
parameters: { key: "intra_op_thread_count" value: { string_value: "1" } }
inferd { queue_policy { max_queue_size: 7 } inline_execution: NEVER }
)";

TEST(ModelConfigParserTest, ReadsWhatTheServerActsOn) {
  const auto config = ParseModelConfig(kSimple, "config.pbtxt");
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->name, "simple");
  EXPECT_EQ(config->platform, "onnxruntime_onnx");
  EXPECT_EQ(config->max_batch_size, 8);
  ASSERT_EQ(config->inputs.size(), 2u);
  EXPECT_EQ(config->inputs[1].name, "INPUT1");
  EXPECT_EQ(config->inputs[1].datatype, DataType::kInt32);
  EXPECT_EQ(config->inputs[1].dims, (Shape{16}));
  ASSERT_EQ(config->outputs.size(), 1u);
  EXPECT_EQ(config->outputs[0].label_filename, "labels.txt");
  ASSERT_EQ(config->instance_groups.size(), 1u);
  EXPECT_EQ(config->instance_groups[0].count, 2);
  EXPECT_EQ(config->instance_groups[0].kind, InstanceKind::kCpu);
  EXPECT_EQ(config->parameters.at("intra_op_thread_count"), "1");
  EXPECT_EQ(config->queue_policy.queue_size_max, 7u);
  EXPECT_EQ(config->inline_execution, InlineExecution::kNever);
}

TEST(ModelConfigParserTest, AnErrorNamesFileLineColumnAndField) {
  const auto config = ParseModelConfig("name: \"m\"\ninput {\n  datatype: TYPE_FP32\n}\n", "repo/m/config.pbtxt");
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().code(), base::StatusCode::kInvalidArgument);
  EXPECT_THAT(config.error().message(), HasSubstr("repo/m/config.pbtxt:3:"));
  EXPECT_THAT(config.error().message(), HasSubstr("datatype"));
}

TEST(ModelConfigParserTest, JsonRefusesUnknownFieldsByName) {
  const auto config = ModelConfigFromJson(R"({"name":"m","input":[{"nome":"x"}]})");
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().code(), base::StatusCode::kInvalidArgument);
  EXPECT_THAT(config.error().message(), HasSubstr("nome"));
}

TEST(ModelConfigParserTest, JsonTakesEnumerationsInAnyCase) {
  const auto config = ModelConfigFromJson(R"({"name":"m","input":[{"name":"x","data_type":"type_Fp32","dims":[3,"4"]}]})");
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  ASSERT_EQ(config->inputs.size(), 1u);
  EXPECT_EQ(config->inputs[0].datatype, DataType::kFp32);
  EXPECT_EQ(config->inputs[0].dims, (Shape{3, 4}));
}

TEST(ModelConfigCompletionTest, NoConfigurationAtAllIsCompletedFromTheModel) {
  const CompletionOptions options;
  auto config = ResolveModel(*ParseModelConfig("", "config.pbtxt"), "digits", {"model.onnx"}, options);
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->engine, "onnxruntime");
  EXPECT_EQ(config->platform, "onnx_onnxv1");
  EXPECT_EQ(config->default_model_filename, "model.onnx");
  config = CompleteModel(*config, {{.name = "x", .datatype = DataType::kFp32, .shape = {-1, 784}}},
                         {{.name = "y", .datatype = DataType::kFp32, .shape = {-1, 10}}}, options);
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->max_batch_size, 64);
  EXPECT_EQ(config->engine, "onnxruntime");
  ASSERT_EQ(config->inputs.size(), 1u);
  EXPECT_EQ(config->inputs[0].dims, (Shape{784}));
  EXPECT_EQ(
      config->document->ToJson(),
      R"({"name":"digits","platform":"onnx_onnxv1","backend":"onnxruntime","runtime":"","version_policy":{"latest":{"num_versions":1}},"max_batch_size":64,"input":[{"name":"x","data_type":"TYPE_FP32","format":"FORMAT_NONE","dims":[784],"is_shape_tensor":false,"allow_ragged_batch":false,"optional":false,"is_non_linear_format_io":false}],"output":[{"name":"y","data_type":"TYPE_FP32","dims":[10],"label_filename":"","is_shape_tensor":false,"is_non_linear_format_io":false}],"batch_input":[],"batch_output":[],"instance_group":[{"name":"digits","kind":"KIND_CPU","count":1,"gpus":[],"secondary_devices":[],"profile":[],"passive":false,"host_policy":""}],"default_model_filename":"model.onnx","cc_model_filenames":{},"metric_tags":{},"parameters":{},"model_warmup":[]})");
}

}  // namespace
}  // namespace inferd::config
