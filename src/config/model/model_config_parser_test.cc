#include "config/model/model_config_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/model/document_fields.h"
#include "config/model/model_config_document.h"

namespace inferd::config {
namespace {

using tensor::DataType;
using tensor::Shape;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string ModelConfigError(std::string_view text) {
  const auto config = ParseModelConfig(text, "m/config.pbtxt");
  if (config.has_value()) return "";
  EXPECT_EQ(config.error().code(), base::StatusCode::kInvalidArgument);
  return config.error().message();
}

std::string JsonErrorOf(std::string_view text) {
  const auto config = ModelConfigFromJson(text);
  if (config.has_value()) return "";
  EXPECT_EQ(config.error().code(), base::StatusCode::kInvalidArgument);
  return config.error().message();
}

// Every field of the message, in protobuf's various spellings.
constexpr char kEverything[] = R"(
name: "all" platform: 'onnxruntime_onnx' backend: "onnxruntime" runtime: "lib.so"
version_policy { specific { versions: [1, 3] } }
max_batch_size: 8
input [
  { name: "INPUT0" data_type: TYPE_INT32 format: FORMAT_NONE dims: [ 16, -1 ] optional: true },
  < name: "INPUT1"; data_type: TYPE_BF16, dims: 4 dims: 5 reshape { shape: [] } is_shape_tensor: false >
]
output { name: "OUTPUT0" data_type: TYPE_STRING dims: 16 label_filename: "labels.txt" }
batch_input { kind: BATCH_ITEM_SHAPE target_name: "T" data_type: TYPE_FP32 source_input: "INPUT0" }
batch_output { target_name: "T" kind: BATCH_SCATTER_WITH_INPUT_SHAPE source_input: "INPUT0" }
optimization {
  graph { level: -1 } priority: PRIORITY_MAX
  cuda { graphs: true graph_spec { batch_size: 1 input { key: "a" value { dim: 1 } } graph_lower_bound { batch_size: 1 } } }
  execution_accelerators { gpu_execution_accelerator { name: "tensorrt" parameters { key: "precision" value: "fp16" } } }
  input_pinned_memory { enable: true } gather_kernel_buffer_threshold: 1 eager_batching: true
}
dynamic_batching {
  preferred_batch_size: [ 4, 8 ] max_queue_delay_microseconds: 100 priority_levels: 2 default_priority_level: 1
  default_queue_policy { timeout_action: DELAY default_timeout_microseconds: 5 allow_timeout_override: true max_queue_size: 9 }
  priority_queue_policy { key: 2 value { max_queue_size: 1 } }
}
instance_group < name: "g" count: 2 kind: KIND_CPU gpus: [0] rate_limiter { resources { name: "r" count: 1 } priority: 2 }
  secondary_devices { kind: KIND_NVDLA device_id: 1 } profile: "p" passive: true host_policy: "h" >
default_model_filename: "m.onnx"
cc_model_filenames { key: "7.5" value: "m75.onnx" }
metric_tags { key: "team" value: "a" }
parameters: { key: "intra_op_thread_count" value: { string_value: "1" } }
model_warmup { name: "w" batch_size: 1 count: 3 inputs { key: "INPUT0" value { data_type: TYPE_INT32 dims: 16 random_data: true } }
  inputs { key: "INPUT1" value { data_type: TYPE_BF16 dims: [4, 5] input_data_file: "x" } } }
model_operations { op_library_filename: "ops.so" }
model_transaction_policy { decoupled: false }
model_repository_agents { agents { name: "checksum" parameters { key: "a" value: "b" } } }
response_cache { enable: true }
model_metrics { metric_control { metric_identifier { family: "f" } histogram_options { buckets: [1, 2.5] } } }
inferd {
  queue_policy { max_queue_size: 7 } inline_execution: NEVER inline_execution_max_microseconds: 50
  batching: AUTO latency_objective_us: 4000 split_large_requests: true side_effect_free: true
  padding { input: "INPUT0" dim: 1 buckets: [ 8, 16 ] value: 2.5 output { name: "OUTPUT0" dim: 3 } }
  concurrency { min: 2 max: 9 }
  isolation: PROCESS worker { hang_timeout_ms: 5000 shared_memory_bytes: 65536 body_memory_bytes: 70000 }
  pinned: true memory_bytes: 5000000000
  depends_on { model: "tokenizer" } depends_on { model: "classifier" version: 3 }
  explainer { model: "reasons" version: 2 } v1_dialect: KSERVE
}
)";

TEST(ModelConfigParserTest, ReadsWhatTheServerActsOn) {
  const auto parsed = ParseModelConfig(kEverything, "config.pbtxt");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  const ModelConfig& config = *parsed;
  EXPECT_EQ(config.name, "all");
  EXPECT_EQ(config.version_policy.kind, VersionPolicyKind::kSpecific);
  EXPECT_THAT(config.version_policy.specific, ElementsAre(1, 3));
  EXPECT_EQ(config.max_batch_size, 8);
  ASSERT_EQ(config.inputs.size(), 2u);
  EXPECT_EQ(config.inputs[0].dims, (Shape{16, -1}));
  EXPECT_TRUE(config.inputs[0].optional);
  EXPECT_EQ(config.inputs[1].datatype, DataType::kBf16);
  EXPECT_EQ(config.inputs[1].dims, (Shape{4, 5}));
  ASSERT_EQ(config.outputs.size(), 1u);
  EXPECT_EQ(config.outputs[0].datatype, DataType::kBytes);
  EXPECT_EQ(config.outputs[0].label_filename, "labels.txt");
  EXPECT_EQ(config.graph_optimization_level, -1);
  ASSERT_EQ(config.gpu_accelerators.size(), 1u);
  EXPECT_EQ(config.gpu_accelerators[0].parameters.at("precision"), "fp16");
  ASSERT_TRUE(config.dynamic_batching.has_value());
  EXPECT_THAT(config.dynamic_batching->preferred_batch_sizes, ElementsAre(4, 8));
  EXPECT_EQ(config.dynamic_batching->default_queue_policy.timeout_action, TimeoutAction::kDelay);
  EXPECT_EQ(config.dynamic_batching->priority_queue_policy.at(2).queue_size_max, 1u);
  ASSERT_EQ(config.instance_groups.size(), 1u);
  EXPECT_EQ(config.instance_groups[0].count, 2);
  EXPECT_EQ(config.instance_groups[0].kind, InstanceKind::kCpu);
  EXPECT_EQ(config.metric_tags.at("team"), "a");
  EXPECT_EQ(config.parameters.at("intra_op_thread_count"), "1");
  ASSERT_EQ(config.warmups.size(), 1u);
  EXPECT_EQ(config.warmups[0].count, 3u);
  EXPECT_EQ(config.warmups[0].inputs.at("INPUT0").data, WarmupData::kRandom);
  EXPECT_EQ(config.warmups[0].inputs.at("INPUT1").file, "x");
  EXPECT_THAT(config.op_library_filenames, ElementsAre("ops.so"));
  EXPECT_EQ(config.queue_policy.queue_size_max, 7u);
  EXPECT_EQ(config.inline_execution, InlineExecution::kNever);
  EXPECT_EQ(config.inline_execution_max_us, 50u);
  EXPECT_EQ(config.isolation, Isolation::kProcess);
  EXPECT_EQ(config.worker.hang_timeout_ms, 5000u);
  EXPECT_EQ(config.worker.shared_memory_bytes, 65536u);
  EXPECT_EQ(config.worker.body_memory_bytes, 70000u);
  EXPECT_TRUE(config.pinned);
  EXPECT_EQ(config.memory_bytes, 5'000'000'000u);
  EXPECT_EQ(config.dependencies, (std::vector<Dependency>{{"tokenizer"}, {"classifier", 3}, {"reasons", 2}}));
  EXPECT_EQ(config.explainer, (Dependency{"reasons", 2}));
  EXPECT_EQ(config.v1_dialect, V1Dialect::kKserve);
}

TEST(ModelConfigParserTest, PinnedMemoryIsUsedUnlessItSaysOtherwise) {
  const auto said = [](const std::string& text) {
    return PinnedMemoryOf(ParseModelConfig("optimization { " + text + " }", "c").value());
  };
  EXPECT_TRUE(said("").inputs && said("").outputs && PinnedMemoryOf({}).inputs);
  EXPECT_TRUE(said("input_pinned_memory { enable: true }").inputs);
  const PinnedMemory no_inputs = said("input_pinned_memory { enable: false }");
  EXPECT_TRUE(!no_inputs.inputs && no_inputs.outputs);
  const PinnedMemory no_outputs = said("output_pinned_memory { enable: false }");
  EXPECT_TRUE(no_outputs.inputs && !no_outputs.outputs);
}

TEST(ModelConfigParserTest, ModelsOfAnEnsemblesStepsAreDependencies) {
  const auto config = ParseModelConfig(
      "inferd { depends_on { model: 'a' } } ensemble_scheduling { step { model_name: 'a' model_version: -1 } "
      "step { model_name: 'b' model_version: 2 } step { model_name: 'a' model_version: -1 } }",
      "c");
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->dependencies, (std::vector<Dependency>{{"a"}, {"b", 2}}));
}

TEST(ModelConfigParserTest, ReadsHowRequestsAreBatched) {
  const auto parsed = ParseModelConfig(kEverything, "config.pbtxt");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  const ModelConfig& config = *parsed;
  EXPECT_EQ(config.inputs[0].reshape, std::nullopt);
  EXPECT_EQ(config.inputs[1].reshape, Shape());
  ASSERT_EQ(config.batch_inputs.size(), 1u);
  EXPECT_EQ(config.batch_inputs[0].kind, BatchInputKind::kItemShape);
  EXPECT_EQ(config.batch_inputs[0].datatype, DataType::kFp32);
  ASSERT_EQ(config.batch_outputs.size(), 1u);
  EXPECT_EQ(config.batch_outputs[0].source_input, "INPUT0");
  EXPECT_TRUE(config.eager_batching);
  EXPECT_EQ(config.instance_groups[0].host_policy, "h");
  EXPECT_EQ(config.instance_groups[0].priority, 2u);
  ASSERT_EQ(config.instance_groups[0].resources.size(), 1u);
  EXPECT_EQ(config.instance_groups[0].resources[0].name, "r");
  EXPECT_EQ(config.instance_groups[0].resources[0].count, 1u);
  EXPECT_FALSE(config.instance_groups[0].resources[0].global);
  EXPECT_EQ(config.batching, BatchingMode::kAuto);
  EXPECT_EQ(config.latency_objective_us, 4000u);
  EXPECT_TRUE(config.split_large_requests);
  EXPECT_TRUE(config.side_effect_free);
  ASSERT_EQ(config.padding.size(), 1u);
  EXPECT_EQ(config.padding[0].input, "INPUT0");
  EXPECT_EQ(config.padding[0].dim, 1);
  EXPECT_THAT(config.padding[0].buckets, ElementsAre(8, 16));
  EXPECT_EQ(config.padding[0].value, 2.5);
  ASSERT_EQ(config.padding[0].outputs.size(), 1u);
  EXPECT_EQ(config.padding[0].outputs[0].name, "OUTPUT0");
  EXPECT_EQ(config.padding[0].outputs[0].dim, 3);
  EXPECT_EQ(config.concurrency.min, 2u);
  EXPECT_EQ(config.concurrency.max, 9u);
}

TEST(ModelConfigParserTest, OneQueuePolicyHolds) {
  const auto of = [](std::string_view text) { return ParseModelConfig(text, "c").value().dynamic_batching; };
  EXPECT_EQ(
      of("dynamic_batching { } inferd { queue_policy { max_queue_size: 7 } }")->default_queue_policy.queue_size_max,
      7u);
  EXPECT_EQ(of("dynamic_batching { default_queue_policy { max_queue_size: 3 } }")->default_queue_policy.queue_size_max,
            3u);
}

TEST(ModelConfigParserTest, ABatchTensorHasOneEntryForEachTarget) {
  const auto config = ParseModelConfig(
      "batch_input { target_name: [ \"a\", \"b\" ] source_input: \"x\" } batch_output { target_name: [ \"c\", \"d\" ] "
      "}",
      "c");
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  ASSERT_EQ(config->batch_inputs.size(), 2u);
  EXPECT_EQ(config->batch_inputs[1].target_name, "b");
  EXPECT_EQ(config->batch_inputs[1].source_input, "x");
  ASSERT_EQ(config->batch_outputs.size(), 2u);
  EXPECT_EQ(config->batch_outputs[1].target_name, "d");
}

TEST(ModelConfigParserTest, NothingIsLostInTextOrJson) {
  const auto first = ParseModelConfig(kEverything, "config.pbtxt");
  ASSERT_TRUE(first.has_value()) << first.error().ToString();
  const std::string text = first->document->ToPbtxt();
  const auto from_text = ParseModelConfig(text, "printed");
  ASSERT_TRUE(from_text.has_value()) << from_text.error().ToString();
  EXPECT_EQ(from_text->document->ToPbtxt(), text);
  const std::string json = first->document->ToJson();
  const auto from_json = ModelConfigFromJson(json);
  ASSERT_TRUE(from_json.has_value()) << from_json.error().ToString();
  EXPECT_EQ(from_json->document->ToJson(), json);
  EXPECT_THAT(json, HasSubstr(R"("priority_queue_policy":{"2":{)"));
  EXPECT_THAT(json, HasSubstr(R"("device_id":1)"));
  EXPECT_THAT(json, HasSubstr(R"("buckets":[1,2.5])"));
}

TEST(ModelConfigParserTest, JsonKeepsTheSignOfZero) {
  const auto config =
      ParseModelConfig(R"(inferd { padding { input: "x" value: -0 output { name: "y" } } })", "config.pbtxt");
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  const std::string json = config->document->ToJson();
  EXPECT_THAT(json, HasSubstr(R"("value":-0.0)"));
  const auto again = ModelConfigFromJson(json);
  ASSERT_TRUE(again.has_value()) << again.error().ToString();
  EXPECT_EQ(again->document->ToJson(), json);
}

TEST(ModelConfigParserTest, AnEmptyTextIsAnEmptyConfiguration) {
  const auto config = ParseModelConfig("", "config.pbtxt");
  ASSERT_TRUE(config.has_value());
  EXPECT_TRUE(config->inputs.empty());
  EXPECT_EQ(config->version_policy.latest, 1u);
}

TEST(ModelConfigParserTest, TheTagsOf2018AreMetricTags) {
  const auto config = ParseModelConfig(R"(tags { key: "team" value: "a" })", "config.pbtxt");
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->metric_tags.at("team"), "a");
  EXPECT_THAT(config->document->ToJson(), HasSubstr(R"("metric_tags":{"team":"a"})"));
}

TEST(ModelConfigParserTest, ErrorsNameFileLineColumnAndField) {
  EXPECT_THAT(ModelConfigError("name: \"m\"\ninput {\n  datatype: TYPE_FP32\n}\n"), HasSubstr("m/config.pbtxt:3:3: "));
  EXPECT_THAT(ModelConfigError("input { datatype: TYPE_FP32 }"),
              HasSubstr("\"datatype\". (did you mean 'data_type'?)"));
  EXPECT_THAT(ModelConfigError("input { data_type: TYPE_FLOAT }"), HasSubstr("\"TYPE_FLOAT\" for field \"data_type\""));
  EXPECT_THAT(ModelConfigError("max_batch_size: 99999999999"), HasSubstr("m/config.pbtxt:1:17: "));
  EXPECT_THAT(ModelConfigError("name: \"a\" name: \"b\""), HasSubstr("\"name\" is specified multiple times"));
  EXPECT_THAT(ModelConfigError("input {"), HasSubstr("m/config.pbtxt:1:"));
  EXPECT_THAT(ModelConfigError("name: \"\\xff\""), HasSubstr("m/config.pbtxt:1:1: name: is not UTF-8"));
  EXPECT_THAT(ModelConfigError("parameters { key: \"\\xff\" }"), HasSubstr("parameters[0].key: is not UTF-8"));
  EXPECT_THAT(ModelConfigError("dynamic_batching {} sequence_batching {}"), HasSubstr("scheduling_choice"));
}

TEST(ModelConfigParserTest, AKeyOfAStepsMapsIsGivenOnce) {
  const auto error = [](const std::string& maps) {
    return ModelConfigError("ensemble_scheduling { step { model_name: 'a' }\nstep { model_name: 'b'\n" + maps + " } }");
  };
  EXPECT_EQ(error("output_map { key: 'S' value: 'p' }\n  output_map { key: 'S' value: 'q' }"),
            "m/config.pbtxt:4:3: ensemble_scheduling.step[1].output_map[1]: 'S' is given twice in the output_map of "
            "step 1, with ensemble tensors 'p' and 'q': name one, which any number of steps may take");
  EXPECT_THAT(error("input_map [ { key: 'I' value: 'p' }, { key: 'J' value: 'p' }, { key: 'I' value: 'q' } ]"),
              HasSubstr("step[1].input_map[2]: 'I' is given twice in the input_map of step 1"));
  EXPECT_EQ(error("input_map { key: 'I' value: 'p' } input_map { key: 'I' value: 'p' }"), "");
  const std::string twice = "input_map { key: 'I' value: 'p' } input_map { key: 'I' value: 'q' }";
  EXPECT_THAT(ModelConfigError("name: 'm' ensemble_scheduling { step { " + twice + " } }"),
              HasSubstr("may take. Without the first, ensemble tensor 'p' is unused in ensemble 'm'"));
  EXPECT_THAT(
      ModelConfigError("name: 'm' ensemble_scheduling { step { " + twice + " input_map { key: 'J' value: 'p' } } }"),
      EndsWith("may take"));
  EXPECT_EQ(error("output_map { key: 'S' value: 'p' } output_map { key: 'T' value: 'p' }"), "");
}

TEST(ModelConfigParserTest, SizesAndNestingHaveLimits) {
  EXPECT_THAT(ModelConfigError(std::string(kModelConfigBytesMax + 1, ' ')), HasSubstr("may have"));
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "input {";
  EXPECT_NE(ModelConfigError(deep), "");
  EXPECT_THAT(JsonErrorOf(std::string(100'000, '[')), HasSubstr("JSON at byte"));
}

TEST(ModelConfigParserTest, JsonIsReadStrictly) {
  EXPECT_THAT(JsonErrorOf(R"({"name":"m","input":[{"nome":"x"}]})"), HasSubstr("nome"));
  EXPECT_THAT(JsonErrorOf("{'name':'m'}"), HasSubstr("JSON at byte"));
  EXPECT_THAT(JsonErrorOf(R"({"name":"m","name":"n"})"), HasSubstr("name"));
  EXPECT_THAT(JsonErrorOf(R"({"name":"m"} x)"), HasSubstr("JSON at byte"));
  EXPECT_NE(JsonErrorOf("[]"), "");
  EXPECT_NE(JsonErrorOf("not json"), "");
  EXPECT_NE(JsonErrorOf(R"({"max_batch_size":"many"})"), "");
  EXPECT_NE(JsonErrorOf(R"({"input":[{"data_type":"TYPE_FLOAT"}]})"), "");
}

TEST(ModelConfigParserTest, JsonTakesEnumerationsInAnyCase) {
  const auto config =
      ModelConfigFromJson(R"({"name":"m","input":[{"name":"x","data_type":"type_Fp32","dims":[3,"4"]}]})");
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  ASSERT_EQ(config->inputs.size(), 1u);
  EXPECT_EQ(config->inputs[0].datatype, DataType::kFp32);
  EXPECT_EQ(config->inputs[0].dims, (Shape{3, 4}));
}

}  // namespace
}  // namespace inferd::config
