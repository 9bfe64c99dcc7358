#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/model_config_document.h"
#include "config/model_config_parser.h"

namespace inferd::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The problems of a text, as "line: field: message".
std::vector<std::string> ProblemsOf(std::string_view text) {
  const auto config = ParseModelConfig(text, "c");
  if (!config.has_value()) return {config.error().ToString()};
  std::vector<std::string> found;
  for (const Problem& problem : FindProblems(*config->document, "M")) {
    found.push_back(std::to_string(problem.line) + ": " + problem.field + ": " + problem.message);
  }
  return found;
}

struct Case {
  const char* text;
  const char* problem;
};

class ModelConfigProblemsTest : public ::testing::TestWithParam<Case> {};

// Triton's texts (facts "Validation messages"), and what is refused by name.
TEST_P(ModelConfigProblemsTest, IsFound) {
  EXPECT_THAT(ProblemsOf(std::string("name: \"M\" backend: \"onnxruntime\"\n") + GetParam().text),
              ElementsAre(GetParam().problem));
}

constexpr Case kIdentity[] = {
    {"max_batch_size: -1", "2: max_batch_size: 'max_batch_size' must be non-negative value for M"},
    {"platform: \"tensorrt_plan\"",
     "1: backend: unexpected 'platform' and 'backend' pair, got:tensorrt_plan, onnxruntime"},
    {"version_policy { specific { } }", "2: version_policy.specific.versions: must list at least one version for M"},
    {"version_policy { specific { versions: -2 } }",
     "2: version_policy.specific.versions: versions must be non-negative for M"},
};
constexpr Case kTensors[] = {
    {"input { data_type: TYPE_FP32 dims: 1 }", "2: input[0]: model input must specify 'name' for M"},
    {"output { data_type: TYPE_FP32 dims: 1 }", "2: output[0]: model output must specify 'name' for M"},
    {"input { name: \"a\" }\ninput {\n name: \"a\" }", "4: input[1].name: model input 'a' is specified twice for M"},
    {"input {\n name: \"a\"\n dims: [ 1, 0 ] }",
     "4: input[0].dims: model input dimension must be integer >= 1, or -1 to indicate a variable-size dimension for M, "
     "got 0"},
    {"output { name: \"a\" dims: -2 }",
     "2: output[0].dims: model output dimension must be integer >= 1, or -1 to indicate a variable-size dimension for "
     "M, got -2"},
    {"input { name: \"a\" dims: [1, 1] format: FORMAT_NHWC }",
     "2: input[0].format: model input NHWC/NCHW require 3 dims for M"},
    {"input { name: \"a\" dims: 1 is_shape_tensor: true }",
     "2: input[0].is_shape_tensor: shape tensors are only supported for TensorRT platform"},
    {"output { name: \"a\" dims: 1 is_non_linear_format_io: true }",
     "2: output[0].is_non_linear_format_io: Non-linear IO format is only supported for the TensorRT platform"},
    {"input [ { name: \"a\" }, { name: \"b\" reshape { shape: 1 } } ]",
     "2: input[1].reshape: 'reshape' is not supported yet, and therefore refused"},
    {"output { name: \"a\" reshape { } }",
     "2: output[0].reshape: 'reshape' is not supported yet, and therefore refused"},
    {"input { name: \"a\" allow_ragged_batch: true }",
     "2: input[0].allow_ragged_batch: 'allow_ragged_batch' is not supported yet, and therefore refused"},
};
constexpr Case kRefused[] = {
    {"batch_input { }", "2: batch_input: 'batch_input' is not supported yet, and therefore refused"},
    {"batch_output { }", "2: batch_output: 'batch_output' is not supported yet, and therefore refused"},
    {"sequence_batching { }", "2: sequence_batching: 'sequence_batching' is not supported yet, and therefore refused"},
    {"ensemble_scheduling { }",
     "2: ensemble_scheduling: 'ensemble_scheduling' is not supported yet, and therefore refused"},
    {"model_transaction_policy {\n decoupled: true }",
     "3: model_transaction_policy.decoupled: 'decoupled' is not supported yet, and therefore refused"},
};
constexpr Case kInstances[] = {
    {"instance_group { name: \"G\" kind: KIND_GPU }",
     "2: instance_group[0].kind: instance group G of model M has kind KIND_GPU but server does not support GPUs"},
    {"instance_group { name: \"G\" kind: KIND_CPU gpus: 0 }",
     "2: instance_group[0].gpus: instance group G of model M has kind KIND_CPU but specifies one or more GPUs"},
    {"instance_group { name: \"G\" kind: KIND_MODEL gpus: 0 }",
     "2: instance_group[0].gpus: instance group G of model M has kind KIND_MODEL but specifies one or more GPUs"},
    {"instance_group { name: \"G\" profile: \"p\" }",
     "2: instance_group[0].profile: instance group G of model M specifies profile field which is only supported for "
     "TensorRT "
     "models"},
    {"instance_group { name: \"G\" count: -1 }",
     "2: instance_group[0].count: instance group G of model M must have a count of at most 1024, got -1"},
};
constexpr Case kBatching[] = {
    {"max_batch_size: 4\ndynamic_batching { preferred_batch_size: [0] }",
     "3: dynamic_batching.preferred_batch_size: dynamic batching preferred size must be positive for M"},
    {"max_batch_size: 4\ndynamic_batching { preferred_batch_size: [4, 8] }",
     "3: dynamic_batching.preferred_batch_size: dynamic batching preferred size must be <= max batch size for M"},
    {"dynamic_batching { priority_levels: 2 }",
     "2: dynamic_batching.default_priority_level: default priority level must be in range [1, 2] for M"},
    {"dynamic_batching { priority_levels: 2 default_priority_level: 3 }",
     "2: dynamic_batching.default_priority_level: default priority level must be in range [1, 2] for M"},
    {"dynamic_batching { priority_levels: 2 default_priority_level: 2 priority_queue_policy { key: 3 value { } } }",
     "2: dynamic_batching.priority_queue_policy: priority queue policy must have priority level in range [1, 2] for M"},
    {"dynamic_batching { priority_levels: 2 default_priority_level: 2 preserve_ordering: true }",
     "2: dynamic_batching.priority_levels: Only one priority level is allowed when 'preserve_ordering' is true for M"},
    {"dynamic_batching { preserve_ordering: true default_queue_policy { timeout_action: DELAY } }",
     "2: dynamic_batching.preserve_ordering: Queue policy can not have DELAY as timeout action when "
     "'preserve_ordering' is true "
     "for M"},
};
constexpr Case kFiles[] = {
    {"default_model_filename: \"../x\"",
     "2: default_model_filename: '../x' must be a path inside the model's folder for M"},
    {"runtime: \"/lib/x.so\"", "2: runtime: '/lib/x.so' must be a path inside the model's folder for M"},
    {"cc_model_filenames { key: \"7.5\" value: \"a/../../b\" }",
     "2: cc_model_filenames: 'a/../../b' must be a path inside the model's folder for M"},
    {"output { name: \"o\" label_filename: \"/etc/passwd\" }",
     "2: output[0].label_filename: '/etc/passwd' must be a path inside the model's folder for M"},
    {"model_operations { op_library_filename: \"a.so\"\n op_library_filename: \"../b.so\" }",
     "3: model_operations.op_library_filename[1]: '../b.so' must be a path inside the model's folder for M"},
    {"model_warmup { inputs { key: \"a\" value { data_type: TYPE_FP32 dims: 1 input_data_file: \"../x\" } } }",
     "2: model_warmup[0].inputs: '../x' must be a path inside the model's folder for M"},
};
constexpr Case kRest[] = {
    {"model_warmup { inputs { key: \"a\" value { zero_data: true } } }",
     "2: model_warmup[0].inputs: warmup input 'a' must specify 'data_type' for M"},
    {"model_warmup { inputs { key: \"a\" value { data_type: TYPE_FP32 } } }",
     "2: model_warmup[0].inputs: warmup input 'a' must specify one of 'zero_data', 'random_data' and 'input_data_file' "
     "for M"},
    {"model_warmup { inputs { key: \"a\" value { data_type: TYPE_FP32 dims: -1 zero_data: true } } }",
     "2: model_warmup[0].inputs: warmup input 'a' has dims [-1], expected fixed, non-negative ones for M"},
    {"model_metrics { metric_control { histogram_options { buckets: 1 } } }",
     "2: model_metrics.metric_control[0]: metric control must specify 'metric_identifier' for M"},
    {"model_metrics { metric_control { metric_identifier { family: \"f\" } } }",
     "2: model_metrics.metric_control[0]: metric control must specify 'histogram_options' for M"},
    {"model_metrics { metric_control { metric_identifier { family: \"f\" } histogram_options { } } }",
     "2: model_metrics.metric_control[0]: histogram options must specify non-empty 'buckets' for M"},
};
INSTANTIATE_TEST_SUITE_P(Identity, ModelConfigProblemsTest, ::testing::ValuesIn(kIdentity));
INSTANTIATE_TEST_SUITE_P(Tensors, ModelConfigProblemsTest, ::testing::ValuesIn(kTensors));
INSTANTIATE_TEST_SUITE_P(Refused, ModelConfigProblemsTest, ::testing::ValuesIn(kRefused));
INSTANTIATE_TEST_SUITE_P(Instances, ModelConfigProblemsTest, ::testing::ValuesIn(kInstances));
INSTANTIATE_TEST_SUITE_P(Batching, ModelConfigProblemsTest, ::testing::ValuesIn(kBatching));
INSTANTIATE_TEST_SUITE_P(Files, ModelConfigProblemsTest, ::testing::ValuesIn(kFiles));
INSTANTIATE_TEST_SUITE_P(Rest, ModelConfigProblemsTest, ::testing::ValuesIn(kRest));

TEST(ModelConfigProblemsOrderTest, EveryProblemIsFoundInTheOrderOfTheFile) {
  EXPECT_THAT(ProblemsOf("name: \"M\"\nplatform: \"onnx\"\nbatch_input { }\nmax_batch_size: -1\n"),
              ElementsAre(::testing::StartsWith("2: platform: unexpected platform type 'onnx' for M"),
                          ::testing::StartsWith("3: batch_input"), ::testing::StartsWith("4: max_batch_size")));
}

TEST(ModelConfigProblemsOrderTest, TooManyTensorsAreOneProblem) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "input{}";
  EXPECT_THAT(ProblemsOf(text), ElementsAre("1: input: at most 16384 are allowed for M, got 20000"));
}

TEST(ModelConfigProblemsOrderTest, AGoodConfigurationHasNone) {
  EXPECT_THAT(ProblemsOf(R"(name: "M" platform: "onnx_onnxv1" max_batch_size: 8
    input { name: "a" data_type: TYPE_FP32 dims: [ -1, 3 ] } output { name: "b" data_type: TYPE_FP32 }
    instance_group { kind: KIND_CPU count: 2 } dynamic_batching { preferred_batch_size: 8 })"),
              IsEmpty());
}

}  // namespace
}  // namespace inferd::config
