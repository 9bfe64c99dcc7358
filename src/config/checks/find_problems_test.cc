#include "config/checks/problems_fixture.h"

namespace inferd::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ModelConfigProblemsTest : public ProblemTest {};

// Triton's texts (facts "Validation messages"), and fields that are refused by name.
TEST_P(ModelConfigProblemsTest, IsFound) { ExpectJustThat(); }

constexpr ProblemCase kIdentity[] = {
    {"max_batch_size: -1", "2: max_batch_size: 'max_batch_size' must be non-negative value for M"},
    {"platform: \"tensorrt_plan\"",
     "1: backend: unexpected 'platform' and 'backend' pair, got:tensorrt_plan, onnxruntime"},
    {"platform: \"onnxruntim\"",
     "2: platform: unexpected 'platform' and 'backend' pair, got:onnxruntim, onnxruntime; known platforms are: "
     "tensorflow_savedmodel, tensorflow_graphdef, tensorrt_plan, onnx_onnxv1, onnxruntime_onnx, pytorch_torchscript, "
     "pytorch_libtorch, mxnet_mxnet, caffe2_netdef, ensemble"},
    {"version_policy { specific { } }", "2: version_policy.specific.versions: must list at least one version for M"},
    {"version_policy { specific { versions: -2 } }",
     "2: version_policy.specific.versions: versions must be non-negative for M"},
};
constexpr ProblemCase kRefused[] = {
    {"model_transaction_policy { decoupled: true } response_cache { enable: true }",
     "2: response_cache: Response Cache does not currently support model M with 'decoupled' transaction policy. Please "
     "disable the response cache."},
    {"ensemble_scheduling { }",
     "2: ensemble_scheduling: ensemble scheduling cannot be set for model 'M' whose platform is not ensemble"},
};
constexpr ProblemCase kInstances[] = {
    {"instance_group { name: \"G\" kind: KIND_GPU }",
     "2: instance_group[0].kind: instance group G of model M has kind KIND_GPU but server does not support GPUs"},
    {"instance_group { name: \"G\" kind: KIND_GPU gpus: [ 42, 0 ] }",
     "2: instance_group[0].gpus[0]: instance group G of model M specifies invalid or unsupported gpu id 42. "
     "The model's engine has no GPUs"},
    {"instance_group { name: \"G\" kind: KIND_CPU gpus: 0 }",
     "2: instance_group[0].gpus: instance group G of model M has kind KIND_CPU but specifies one or more GPUs"},
    {"instance_group { name: \"G\" kind: KIND_MODEL gpus: 0 }",
     "2: instance_group[0].gpus: instance group G of model M has kind KIND_MODEL but specifies one or more GPUs"},
    {"instance_group { name: \"G\" profile: \"p\" }",
     "2: instance_group[0].profile: instance group G of model M specifies profile field which is only supported for "
     "TensorRT "
     "models"},
    {"instance_group { name: \"G\" rate_limiter {\n resources { count: 1 } } }",
     "3: instance_group[0].rate_limiter.resources[0]: instance group G of model M must specify 'name' of its rate "
     "limiter's resources"},
    {"instance_group { name: \"G\" rate_limiter { resources { name: \"r\" } } }",
     "2: instance_group[0].rate_limiter.resources[0]: instance group G of model M must specify 'count' of resource "
     "'r'"},
    {"instance_group { name: \"G\" rate_limiter { resources [ { name: \"r\" count: 1 },\n"
     "{ name: \"r\" count: 1 global: true } ] } }",
     "3: instance_group[0].rate_limiter.resources[1].name: instance group G of model M specifies resource 'r' twice"},
    {"instance_group { name: \"G\" host_policy: \"p\" rate_limiter { resources { name: \"r\" count: 1 } priority: 2 } "
     "}",
     nullptr},
    {"instance_group { name: \"G\" count: -1 }",
     "2: instance_group[0].count: instance group G of model M must have a count of at most 1024, got -1"},
};
constexpr ProblemCase kFiles[] = {
    {"default_model_filename: \"../x\"",
     "2: default_model_filename: '../x' must be a path inside the model's folder for M"},
    {"runtime: \"libtriton_onnxruntime.so\"", nullptr},
    {"runtime: \"libtriton_other.so\"",
     "2: runtime: unable to find backend library 'libtriton_other.so' for model 'M': expected "
     "'libtriton_onnxruntime.so'"},
    {"runtime: \"/lib/x.so\"", "2: runtime: backend library name '/lib/x.so' escapes backend directory for M"},
    {"runtime: \"../x\"", "2: runtime: backend library name '../x' escapes backend directory for M"},
    {"runtime: \"a/../../x\"", "2: runtime: backend library name 'a/../../x' escapes backend directory for M"},
    {"cc_model_filenames { key: \"7.5\" value: \"a/../../b\" }",
     "2: cc_model_filenames: 'a/../../b' must be a path inside the model's folder for M"},
    {"output { name: \"o\" label_filename: \"/etc/passwd\" }",
     "2: output[0].label_filename: '/etc/passwd' must be a path inside the model's folder for M"},
    {"model_operations { op_library_filename: \"a.so\"\n op_library_filename: \"../b.so\" }",
     "3: model_operations.op_library_filename[1]: '../b.so' must be a path inside the model's folder for M"},
    {"model_warmup { inputs { key: \"a\" value { data_type: TYPE_FP32 dims: 1 input_data_file: \"../x\" } } }",
     "2: model_warmup[0].inputs: '../x' must be a path inside the model's folder for M"},
};
constexpr ProblemCase kRest[] = {
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
INSTANTIATE_TEST_SUITE_P(Refused, ModelConfigProblemsTest, ::testing::ValuesIn(kRefused));
INSTANTIATE_TEST_SUITE_P(Instances, ModelConfigProblemsTest, ::testing::ValuesIn(kInstances));
INSTANTIATE_TEST_SUITE_P(Files, ModelConfigProblemsTest, ::testing::ValuesIn(kFiles));
INSTANTIATE_TEST_SUITE_P(Rest, ModelConfigProblemsTest, ::testing::ValuesIn(kRest));

TEST(ModelConfigProblemsOrderTest, EveryProblemIsFoundInTheOrderOfTheFile) {
  EXPECT_THAT(ProblemsOf("name: \"M\"\nplatform: \"onnx\"\nsequence_batching { oldest { } }\nmax_batch_size: -1\n"),
              ElementsAre(::testing::StartsWith("2: platform: unexpected platform type 'onnx' for M"),
                          ::testing::StartsWith("3: sequence_batching"), ::testing::StartsWith("4: max_batch_size")));
}

TEST(ModelConfigProblemsOrderTest, APlatformMayBeUnknownWithABackendThatIs) {
  EXPECT_THAT(ProblemsOf("name: \"M\" platform: \"mine_v1\" backend: \"mine\""), ::testing::IsEmpty());
  EXPECT_THAT(ProblemsOf("name: \"M\" platform: \"onnx_onnxv1\" backend: \"mine\""),
              ElementsAre("1: backend: unexpected 'platform' and 'backend' pair, got:onnx_onnxv1, mine"));
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
