#include "config/model/model_config_completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/model/instances.h"
#include "config/model/model_config_document.h"
#include "config/model/model_config_parser.h"

namespace inferd::config {
namespace model_config_completion_test {

using tensor::DataType;
using tensor::Shape;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const TensorInfo kX{.name = "x", .datatype = DataType::kFp32, .shape = {-1, 784}};
const TensorInfo kY{.name = "y", .datatype = DataType::kFp32, .shape = {-1, 10}};

// Options of a server that takes the leading dimension for the batch's if a configuration says nothing.
CompletionOptions AsTriton() {
  CompletionOptions options;
  options.default_limits_requests = true;
  options.unconfigured_batching = UnconfiguredBatching::kLeadingDimension;
  return options;
}

ModelConfig Parsed(std::string_view text) {
  auto config = ParseModelConfig(text, "c.pbtxt");
  EXPECT_TRUE(config.has_value()) << config.error().ToString();
  return config.value_or(ModelConfig());
}

base::Result<ModelConfig> Resolve(std::string_view text, std::vector<std::string> entries = {"model.onnx"},
                                  CompletionOptions options = {}) {
  return ResolveModel(Parsed(text), "m", {std::move(entries)}, options);
}

// Completes without trial executions.
base::Result<ModelConfig> Completed(ModelConfig config, const std::vector<TensorInfo>& inputs,
                                    const std::vector<TensorInfo>& outputs, const CompletionOptions& options) {
  BatchingDecision decision = DecideBatching(config, inputs, outputs, options);
  return CompleteModel(std::move(config), inputs, outputs, options, std::move(decision));
}

base::Result<ModelConfig> Complete(std::string_view text, const std::vector<TensorInfo>& inputs,
                                   const std::vector<TensorInfo>& outputs, CompletionOptions options = {}) {
  INFERD_ASSIGN_OR_RETURN(ModelConfig config, Resolve(text, {"model.onnx"}, options));
  return Completed(std::move(config), inputs, outputs, options);
}

std::string CompletionError(const base::Result<ModelConfig>& result) {
  if (result.has_value()) return "";
  EXPECT_EQ(result.error().code(), base::StatusCode::kInvalidArgument);
  return result.error().message();
}

TEST(ModelConfigCompletionTest, NoConfigurationAtAllIsCompletedFromTheModel) {
  const CompletionOptions options;
  auto config = ResolveModel(*ParseModelConfig("", "config.pbtxt"), "digits", {{"model.onnx"}}, options);
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->engine, "onnxruntime");
  EXPECT_EQ(config->platform, "onnx_onnxv1");
  EXPECT_EQ(config->default_model_filename, "model.onnx");
  config = Completed(*config, {kX}, {kY}, options);
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->max_batch_size, 0) << "nothing says that the first dimension is a batch's";
  EXPECT_EQ(config->engine, "onnxruntime");
  ASSERT_EQ(config->inputs.size(), 1u);
  EXPECT_EQ(config->inputs[0].dims, (Shape{-1, 784}));
  EXPECT_EQ(
      config->document->ToJson(),
      R"({"name":"digits","platform":"onnx_onnxv1","backend":"onnxruntime","runtime":"","version_policy":{"latest":{"num_versions":1}},"max_batch_size":0,"input":[{"name":"x","data_type":"TYPE_FP32","format":"FORMAT_NONE","dims":[-1,784],"is_shape_tensor":false,"allow_ragged_batch":false,"optional":false,"is_non_linear_format_io":false}],"output":[{"name":"y","data_type":"TYPE_FP32","dims":[-1,10],"label_filename":"","is_shape_tensor":false,"is_non_linear_format_io":false}],"batch_input":[],"batch_output":[],"instance_group":[{"name":"digits","kind":"KIND_CPU","count":1,"gpus":[],"secondary_devices":[],"profile":[],"passive":false,"host_policy":""}],"default_model_filename":"model.onnx","cc_model_filenames":{},"metric_tags":{},"parameters":{},"model_warmup":[]})");
}

// Models may have types that ModelConfig has no name for.
TEST(ModelConfigCompletionTest, TypesThatOnlyTensorflowHasAreKept) {
  const TensorInfo complex{.name = "x", .datatype = DataType::kComplex64, .shape = {-1}};
  const TensorInfo quantized{.name = "y", .datatype = DataType::kQint32, .shape = {-1}};
  const auto config = Complete("", {complex}, {quantized});
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->inputs[0].datatype, DataType::kComplex64);
  EXPECT_EQ(config->outputs[0].datatype, DataType::kQint32);
  EXPECT_THAT(
      CompletionError(Complete("input { name: \"x\" data_type: TYPE_FP32 dims: [ -1 ] }", {complex}, {quantized})),
      HasSubstr("expects datatype TYPE_FP32 for input 'x', model provides TYPE_COMPLEX64"));
}

TEST(ResolveModelTest, TheEngineComesFromPlatformBackendFileOrName) {
  EXPECT_EQ(Resolve("platform: \"onnx_onnxv1\"")->engine, "onnxruntime");
  EXPECT_EQ(Resolve("backend: \"onnxruntime\"")->engine, "onnxruntime");
  EXPECT_EQ(Resolve("backend: \"tensorflow\"", {"model.graphdef"})->default_model_filename, "model.graphdef");
  EXPECT_EQ(Resolve("", {"model.plan"})->engine, "onnxruntime");
  EXPECT_EQ(Resolve("", {"model.plan"})->backend, "tensorrt");
  EXPECT_EQ(Resolve("default_model_filename: \"net.onnx\"", {})->engine, "onnxruntime");
  EXPECT_EQ(Resolve("backend: \"mine\"", {})->engine, "mine");
  EXPECT_EQ(Resolve("backend: \"identity\"", {})->engine, "fake");
  EXPECT_EQ(ResolveModel(Parsed(""), "x.fake", {}, {})->engine, "fake");
  const auto nothing = Resolve("", {});
  EXPECT_EQ(nothing.error().code(), base::StatusCode::kNotFound);
  EXPECT_THAT(nothing.error().message(),
              HasSubstr("Could not determine backend for model 'm' with no backend in model "
                        "configuration. Expected model name of the form 'model.<backend_name>'."));
}

CompletionOptions ExactlyAsTriton() {
  CompletionOptions options;
  options.triton_exact = true;
  options.gpus["onnxruntime"] = {.count = 1};
  return options;
}

TEST(ResolveModelTest, TextsBeginWithTritonsWords) {
  const CompletionOptions triton = ExactlyAsTriton();
  EXPECT_EQ(CompletionError(Resolve("platform: \"ensemble\"", {}, triton)),
            "ensemble scheduling must be set for ensemble m whose platform is ensemble (c.pbtxt:1:1: platform)");
  EXPECT_EQ(CompletionError(Resolve("platform: \"ensemble\"", {})),
            "c.pbtxt:1:1: platform: ensemble scheduling must be set for ensemble m whose platform is ensemble");
  EXPECT_EQ(CompletionError(Resolve("backend: \"onnxruntime\"\nmax_batch_size: -1", {"model.onnx"}, triton)),
            "'max_batch_size' must be non-negative value for m (c.pbtxt:2:1: max_batch_size)");
  EXPECT_EQ(CompletionError(Resolve("name: \"n\"", {"model.onnx"}, triton)),
            "unexpected directory name 'm' for model 'n', directory name must equal model name (c.pbtxt:1:1: name)");
  EXPECT_THAT(CompletionError(Resolve("name: \"n\" platform: \"ensemble\"", {}, triton)),
              HasSubstr("ensemble scheduling must be set for ensemble n whose platform is ensemble"));
  EXPECT_TRUE(Resolve("", {}, triton)
                  .error()
                  .message()
                  .starts_with("Invalid model name: Could not determine backend for model 'm'"));
}

TEST(ResolveModelTest, GpusThatAreAbsentAreNamedFirst) {
  const CompletionOptions triton = ExactlyAsTriton();
  const std::string gpu = "backend: \"onnxruntime\" instance_group { kind: KIND_GPU gpus: [ 0, 42 ] }";
  EXPECT_THAT(CompletionError(Resolve(gpu, {}, triton)),
              ::testing::StartsWith("instance group m_0 of model m specifies invalid or unsupported gpu id 42"));
  EXPECT_TRUE(Resolve(gpu, {}).has_value()) << "said when the model is loaded";
  EXPECT_TRUE(Resolve("backend: \"onnxruntime\" instance_group { kind: KIND_GPU gpus: 0 }", {}, triton).has_value());
  CompletionOptions moved = ExactlyAsTriton();
  moved.gpus["onnxruntime"] = {};
  EXPECT_THAT(CompletionError(Resolve(gpu, {}, moved)),
              ::testing::StartsWith("instance group m_0 of model m specifies invalid or unsupported gpu id 0. The "
                                    "model's engine has no GPUs (c.pbtxt:1:"));
  EXPECT_TRUE(Resolve("backend: \"onnxruntime\" instance_group { kind: KIND_GPU }", {}, moved).has_value())
      << "the engine says why it has none";
  moved.absent_gpus_are_cpus = true;
  EXPECT_TRUE(Resolve(gpu, {}, moved).has_value());
}

TEST(CheckDatatypesTest, NamesTensorsWithoutOne) {
  const CompletionOptions triton = ExactlyAsTriton();
  const auto status = [&](const std::string& text) {
    return CheckDatatypes(*Resolve(text, {}, triton), triton).message();
  };
  const std::string head = "backend: \"onnxruntime\"\n";
  EXPECT_EQ(status(head + "input { name: \"I\" dims: 1 }"),
            "model input 'I' must specify 'data_type' for m (c.pbtxt:2:1: input[0])");
  EXPECT_THAT(status(head + "output { name: \"O\" dims: 1 }"),
              ::testing::StartsWith("model output 'O' must specify 'data_type' for m"));
  EXPECT_EQ(status(head + "input { name: \"I\" data_type: TYPE_INT32 dims: 1 }"), "");
  EXPECT_EQ(status(head), "");
}

TEST(ResolveModelTest, OfTwoModelsTheConfigurationSaysWhichIsMeant) {
  const std::vector<std::string> two = {"model.pt", "model.onnx"};
  EXPECT_THAT(CompletionError(Resolve("", two)),
              HasSubstr("has two models, model.onnx (ONNX, for the engine onnxruntime) and "
                        "model.pt (TorchScript, for the engine torch)"));
  EXPECT_EQ(Resolve("backend: \"pytorch\"", two)->default_model_filename, "model.pt");
  EXPECT_EQ(Resolve("platform: \"onnx_onnxv1\"", two)->default_model_filename, "model.onnx");
  EXPECT_EQ(Resolve("default_model_filename: \"model.pt\"", two)->engine, "torch");
  EXPECT_EQ(Resolve("backend: \"mine\"", two)->default_model_filename, "");
  EXPECT_THAT(CompletionError(Resolve("backend: \"onnxruntime\"", {"a.onnx", "b.onnx"})),
              HasSubstr("two models, a.onnx"));
  CompletionOptions triton;
  triton.triton_exact = true;
  EXPECT_EQ(Resolve("", two, triton)->engine, "onnxruntime") << "in Triton's order";
  EXPECT_EQ(Resolve("", {"a.onnx", "b.pt"}, triton).error().code(), base::StatusCode::kNotFound);
}

TEST(ResolveModelTest, AModelOfTensorflowLiteMayBePreferred) {
  const std::vector<std::string> both = {"model.tflite", "saved_model.pb", "variables"};
  EXPECT_EQ(Resolve("", both)->engine, "tensorflow");
  CompletionOptions options;
  options.prefer_tflite = true;
  EXPECT_EQ(Resolve("", both, options)->engine, "openvino");
  EXPECT_EQ(Resolve("", both, options)->default_model_filename, "model.tflite");
  EXPECT_EQ(Resolve("platform: \"tensorflow_savedmodel\"", both, options)->engine, "tensorflow");
  EXPECT_EQ(Resolve("", {"saved_model.pb", "other.tflite"}, options)->engine, "tensorflow") << "as there";
}

TEST(ResolveModelTest, AFileThatLacksItsCompanionIsNoModel) {
  EXPECT_EQ(CompletionError(Resolve("", {"model.netdef"})), "model.netdef needs init_model.netdef beside it");
  EXPECT_EQ(Resolve("", {"init_model.netdef", "model.netdef"})->engine, "onnxruntime");
  EXPECT_EQ(Resolve("platform: \"caffe2_netdef\"", {"model.netdef"})->engine, "onnxruntime")
      << "its engine will say so";
}

TEST(ResolveModelTest, MetadataShowsTheNamesOfThePersonality) {
  EXPECT_EQ(Resolve("platform: \"onnxruntime_onnx\"")->platform, "onnx_onnxv1");
  CompletionOptions triton;
  triton.platform_names = PlatformNames::kTriton;
  EXPECT_EQ(Resolve("", {"model.onnx"}, triton)->platform, "onnxruntime_onnx");
  EXPECT_EQ(Resolve("backend: \"onnxruntime\"", {"model.onnx"}, triton)->platform, "onnxruntime_onnx");
  EXPECT_EQ(Resolve("backend: \"identity\"", {})->platform, "identity");
}

TEST(ResolveModelTest, TheNameIsTheFolders) {
  EXPECT_EQ(Resolve("")->name, "m");
  EXPECT_EQ(CompletionError(Resolve("\n  name: \"other\"")),
            "c.pbtxt:2:3: name: unexpected directory name 'm' for model 'other', directory name must equal model name");
}

TEST(ResolveModelTest, ListsEveryProblem) {
  const std::string error = CompletionError(Resolve("sequence_batching { oldest { } }\nmax_batch_size: -1"));
  EXPECT_THAT(error, HasSubstr("c.pbtxt:1:21: sequence_batching.oldest.max_candidate_sequences: "));
  EXPECT_THAT(error, HasSubstr("c.pbtxt:2:1: max_batch_size: "));
}

TEST(ResolveModelTest, InstanceGroupsGetNamesKindsAndCounts) {
  CompletionOptions options;
  options.default_instance_count = 3;
  const auto config =
      Resolve("instance_group { } instance_group { count: 5 kind: KIND_CPU name: \"g\" }", {"model.onnx"}, options);
  ASSERT_TRUE(config.has_value());
  ASSERT_EQ(config->instance_groups.size(), 2u);
  EXPECT_EQ(config->instance_groups[0].name, "m_0");
  EXPECT_EQ(config->instance_groups[0].kind, InstanceKind::kCpu);
  EXPECT_EQ(config->instance_groups[0].count, 3);
  EXPECT_EQ(config->instance_groups[1].count, 5);
  EXPECT_EQ(config->instance_groups[1].name, "g");
}

// From the guide of the TensorRT Inference Server 0.4, "Model Configuration Schema".
TEST(ResolveModelTest, WhereAModelRunsIsTheServersWordUnlessTheModelSays) {
  const auto isolation = [](std::string_view text, Isolation by_default) {
    CompletionOptions options;
    options.default_isolation = by_default;
    const auto config = Resolve(text, {"model.onnx"}, options);
    EXPECT_TRUE(config.has_value()) << config.error().ToString();
    return config.value_or(ModelConfig()).isolation;
  };
  EXPECT_EQ(isolation("", Isolation::kNone), Isolation::kNone);
  EXPECT_EQ(isolation("", Isolation::kProcess), Isolation::kProcess);
  EXPECT_EQ(isolation("", Isolation::kEngineProcess), Isolation::kEngineProcess);
  EXPECT_EQ(isolation("inferd { worker { hang_timeout_ms: 1 } }", Isolation::kProcess), Isolation::kProcess);
  EXPECT_EQ(isolation("inferd { isolation: NONE }", Isolation::kProcess), Isolation::kNone);
  EXPECT_EQ(isolation("inferd { isolation: PROCESS }", Isolation::kNone), Isolation::kProcess);
  EXPECT_EQ(isolation("inferd { isolation: PROCESS }", Isolation::kEngineProcess), Isolation::kProcess);
  EXPECT_EQ(isolation("inferd { isolation: ENGINE_PROCESS }", Isolation::kNone), Isolation::kEngineProcess);
}

TEST(ModelConfigCompletionTest, ModelsThatBatchByDefaultMayShareAResource) {
  CompletionOptions options = AsTriton();
  options.default_batching.resource = "pool";
  const auto resources = [&](std::string_view text) {
    const auto config = Complete(text, {kX}, {kY}, options);
    EXPECT_TRUE(config.has_value()) << config.error().ToString();
    return config.value_or(ModelConfig()).instance_groups.at(0).resources;
  };
  ASSERT_EQ(resources("").size(), 1u);
  EXPECT_EQ(resources("")[0].name, "pool");
  EXPECT_EQ(resources("")[0].count, 1u);
  EXPECT_TRUE(resources("")[0].global);
  EXPECT_THAT(resources("max_batch_size: 8"), IsEmpty()) << "it says itself how it batches";
  EXPECT_EQ(resources("instance_group { rate_limiter { resources { name: \"own\" count: 2 } } }")[0].name, "own");
  options.default_max_batch_size = 0;
  EXPECT_THAT(resources(""), IsEmpty()) << "it does not batch";
}

TEST(ResolveModelTest, ParametersOfTheEngineAreBelowTheModels) {
  CompletionOptions options;
  options.engine_parameters = {{"onnxruntime", {{"a", "server's"}, {"b", "server's"}}}, {"tensorflow", {{"c", "x"}}}};
  const auto config =
      Resolve("parameters { key: \"b\" value { string_value: \"model's\" } }", {{"model.onnx"}}, options);
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_THAT(config->parameters, ElementsAre(Pair("a", "server's"), Pair("b", "model's")));
  EXPECT_THAT(Resolve("backend: \"mine\"", {}, options)->parameters, IsEmpty());
}

TEST(ModelConfigCompletionTest, WhatTheOperatorSaysComesFromNoModel) {
  CompletionOptions options;
  options.engine_parameters = {{"onnxruntime", {{"operator.x", "server's"}}}};
  EXPECT_THAT(Resolve("", {"model.onnx"}, options)->parameters, ElementsAre(Pair("operator.x", "server's")));
  const auto own = Resolve("parameters { key: \"operator.x\" value { string_value: \"1\" } }", {"model.onnx"}, options);
  ASSERT_FALSE(own.has_value());
  EXPECT_THAT(own.error().message(), HasSubstr("--engine-parameter ENGINE:operator.x=VALUE"));
}

TEST(ModelConfigCompletionTest, ModelsWithCodeAreToldWhichFoldersAreAllowed) {
  CompletionOptions options;
  options.engine_parameters = {{"*", {{"operator.libraries", "/allowed"}}}};
  const auto allowed = ElementsAre(Pair("operator.libraries", "/allowed"));
  EXPECT_THAT(Resolve("model_operations { op_library_filename: \"o.so\" }", {"model.onnx"}, options)->parameters,
              allowed);
  EXPECT_THAT(Resolve("", {"model.pt2"}, options)->parameters, allowed);
  EXPECT_THAT(Resolve("backend: \"torch_aoti\"", {}, options)->parameters, allowed);
  EXPECT_THAT(Resolve("", {"model.pt"}, options)->parameters, IsEmpty());
}

TEST(ResolveModelTest, AConfigurationOf2018Resolves) {
  const auto config = ResolveModel(Parsed(R"(
name: "trt_mnist"
platform: "tensorrt_plan"
max_batch_size: 8
input [ { name: "data" data_type: TYPE_FP32 format: FORMAT_NCHW dims: [ 1, 28, 28 ] } ]
output [ { name: "prob" data_type: TYPE_FP32 dims: [ 10, 1, 1 ] label_filename: "mnist_labels.txt" } ]
cc_model_filenames [ { key: "6.1" value: "model6_1.plan" }, { key: "7.0" value: "model7_0.plan" } ]
instance_group [ { count: 2 gpus: [ 0 ] } ]
)"),
                                   "trt_mnist", {{"model6_1.plan", "model7_0.plan"}}, {});
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->engine, "onnxruntime");
  EXPECT_EQ(config->default_model_filename, "model.plan");
  EXPECT_EQ(config->instance_groups[0].kind, InstanceKind::kCpu);
  EXPECT_EQ(config->instance_groups[0].count, 2);
}

// Like the server of 2018: groups are shown as written, wherever they execute.
TEST(ResolveModelTest, GroupsOnAbsentGpusAreShownAsTheyAreWritten) {
  CompletionOptions options;
  options.gpus = {{"onnxruntime", {}}};
  options.absent_gpus_are_cpus = true;
  const auto config =
      Resolve("instance_group { count: 2 gpus: [ 0, 1 ] } instance_group { kind: KIND_GPU gpus: 3 } instance_group { }",
              {"model.onnx"}, options);
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  ASSERT_EQ(config->instance_groups.size(), 3u);
  for (const InstanceGroup& group : config->instance_groups) {
    EXPECT_EQ(group.kind, InstanceKind::kCpu);
    EXPECT_THAT(group.gpus, IsEmpty());
  }
  EXPECT_EQ(ExpandInstances(*config).size(), 4u);
  EXPECT_THAT(config->document->ToPbtxt(), HasSubstr(R"(instance_group {
  name: "m_0"
  count: 2
  gpus: [0, 1]
}
instance_group {
  name: "m_1"
  count: 1
  gpus: [3]
  kind: KIND_GPU
}
instance_group {
  name: "m_2"
  count: 1
  kind: KIND_CPU
}
)"));
  EXPECT_THAT(config->unacted_fields,
              ElementsAre(HasSubstr("instance_group[0].gpus: not acted on: the group is on the CPU"),
                          HasSubstr("instance_group[1].kind has no effect: the server has no GPUs")));
  const auto completed = CompleteModel(*config, {kX}, {kY}, options, DecideBatching(*config, {kX}, {&kY, 1}, options));
  ASSERT_TRUE(completed.has_value()) << completed.error().ToString();
  EXPECT_EQ(completed->instance_groups[1].kind, InstanceKind::kCpu);
  EXPECT_FALSE(Resolve("backend: \"openvino\" instance_group { kind: KIND_GPU gpus: 3 }").has_value());
  EXPECT_FALSE(Resolve("instance_group { kind: KIND_CPU gpus: 3 }", {"model.onnx"}, options).has_value());
}

TEST(ResolveModelTest, UnknownAcceleratorsOfInstancesOnGpusAreRefusedWithTheirPlace) {
  CompletionOptions options;
  options.gpus = {{"onnxruntime", {.count = 1, .preferred = true}}};
  const auto resolve = [&options](const std::string& accelerator, const std::string& group = "") {
    return Resolve(
        "optimization { execution_accelerators {\n  gpu_execution_accelerator { " + accelerator + " } } }\n" + group,
        {"model.onnx"}, options);
  };
  const std::string parameter = "name: \"tensorrt\" parameters { key: \"precision_mode\" value: \"FP16\" }";
  EXPECT_TRUE(resolve(parameter).has_value());
  EXPECT_THAT(
      resolve("name: \"openvino\"").error().message(),
      HasSubstr("2:31: optimization.execution_accelerators.gpu_execution_accelerator[0].name: unknown Execution "
                "Accelerator 'openvino' is requested for m; there are 'cuda' and 'tensorrt'"));
  EXPECT_THAT(
      resolve("name: \"cuda\" parameters { key: \"speed\" value: \"1\" }").error().message(),
      HasSubstr("gpu_execution_accelerator[0].parameters: unknown parameter 'speed' is provided for accelerator "
                "'cuda' of m"));
  const auto on_cpu = resolve("name: \"openvino\"", "instance_group { kind: KIND_CPU }");
  ASSERT_TRUE(on_cpu.has_value());
  EXPECT_THAT(on_cpu->unacted_fields, ElementsAre(HasSubstr("the engine has no execution provider 'openvino'")));
}

// When -1 was taken for a batch, 1 917 of 4 800 requests for the mean of an [h,w,3] image had wrong responses.
TEST(CompleteModelTest, ALeadingWildcardIsNoBatchUntilSomethingSaysSo) {
  EXPECT_EQ(Complete("", {kX}, {kY})->max_batch_size, 0);
  EXPECT_FALSE(Complete("", {kX}, {kY})->dynamic_batching.has_value());
  EXPECT_EQ(Complete("", {kX}, {kY})->inputs[0].dims, (Shape{-1, 784}));
  EXPECT_EQ(Complete("inferd { batching: OFF }", {kX}, {kY})->max_batch_size, 0);
  EXPECT_EQ(Complete("inferd { queue_policy { max_queue_size: 3 } }", {kX}, {kY})->max_batch_size, 0);
  EXPECT_EQ(Complete("dynamic_batching { }", {kX}, {kY})->max_batch_size, 64);
  EXPECT_EQ(Complete("inferd { batching: AUTO }", {kX}, {kY})->max_batch_size, 64);
  EXPECT_EQ(Complete("", {kX}, {kY}, AsTriton())->max_batch_size, 64);
}

// Completes as if executions had shown that rows do, or do not, influence each other.
int MaxBatchSizeWith(bool independent) {
  TensorInfo x = kX;
  TensorInfo y = kY;
  x.dimension_names = y.dimension_names = {"batch", ""};
  const ModelConfig config = *Resolve("");
  BatchingDecision decision = DecideBatching(config, {x}, {&y, 1}, {});
  EXPECT_TRUE(decision.needs_probe);
  EXPECT_FALSE(decision.batches);
  decision = WithProbe(std::move(decision), "m", {.independent = independent, .found = "seen"});
  return CompleteModel(config, {x}, {y}, {}, std::move(decision))->max_batch_size;
}

TEST(CompleteModelTest, ABatchDimensionCountsOnceExecutionsConfirmIt) {
  EXPECT_EQ(MaxBatchSizeWith(true), 64);
  EXPECT_EQ(MaxBatchSizeWith(false), 0);
}

TEST(CompleteModelTest, AnUnnamedInputMayBeCalledAnything) {
  TensorInfo rows = kX;
  rows.name = "input-0";
  CompletionOptions kserve;
  kserve.any_input_name = true;
  EXPECT_FALSE(Complete("", {rows}, {kY})->any_input_name);
  EXPECT_TRUE(Complete("", {rows}, {kY}, kserve)->any_input_name);
  EXPECT_FALSE(Complete("", {kX}, {kY}, kserve)->any_input_name) << "it has a name of its own";
  TensorInfo more = rows;
  more.name = "input-1";
  EXPECT_FALSE(Complete("", {rows, more}, {kY}, kserve)->any_input_name);
}

TEST(CompleteModelTest, BatchingNeedsALeadingWildcardEverywhere) {
  EXPECT_EQ(Complete("dynamic_batching { }", {kX}, {kY})->max_batch_size, 64);
  EXPECT_TRUE(Complete("dynamic_batching { }", {kX}, {kY})->accepts_larger_requests);
  EXPECT_FALSE(Complete("max_batch_size: 64", {kX}, {kY})->accepts_larger_requests);
  const TensorInfo fixed{.name = "y", .datatype = DataType::kFp32, .shape = {1, 10}};
  const auto config = Complete("", {kX}, {fixed}, AsTriton());
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->max_batch_size, 0);
  EXPECT_EQ(config->inputs[0].dims, (Shape{-1, 784}));
  const TensorInfo scalar{.name = "s", .datatype = DataType::kFp32, .shape = {}};
  EXPECT_EQ(Complete("", {kX, scalar}, {kY}, AsTriton())->max_batch_size, 0);
}

TEST(CompleteModelTest, AWrittenZeroMeansNoBatching) {
  const auto config = Complete("max_batch_size: 0", {kX}, {kY});
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->max_batch_size, 0);
  EXPECT_EQ(config->inputs[0].dims, (Shape{-1, 784}));
  EXPECT_EQ(Complete("max_batch_size: 8", {kX}, {kY})->max_batch_size, 8);
}

TEST(CompleteModelTest, AModelThatCannotBatchRefusesABatchSize) {
  const TensorInfo fixed{.name = "y", .datatype = DataType::kFp32, .shape = {1, 10}};
  EXPECT_EQ(
      CompletionError(Complete("max_batch_size: 8", {kX}, {fixed})),
      "c.pbtxt:1:1: max_batch_size: autofill failed for model 'm': model does not support batching while non-zero "
      "max_batch_size is specified");
  EXPECT_THAT(CompletionError(Complete("max_batch_size: 8 input { name: \"x\" dims: 784 }", {kX}, {fixed})),
              HasSubstr("output 'y' has shape [1,10]"));
}

TEST(CompleteModelTest, WhatIsWrittenIsComparedWithTheModel) {
  const auto error = [](const std::string& text) { return CompletionError(Complete(text, {kX}, {kY})); };
  EXPECT_EQ(
      error("max_batch_size: 8\ninput { name: \"x\" data_type: TYPE_FP32 dims: [ 784, 1 ] }"),
      "c.pbtxt:2:40: input[0].dims: model 'm', tensor 'x': the model expects 2 dimensions (shape [-1,784]) but the "
      "model "
      "configuration specifies 3 dimensions (an initial batch dimension because max_batch_size > 0 followed by the "
      "explicit tensor shape, making complete shape [-1,784,1])");
  EXPECT_THAT(
      error("input { name: \"x\" dims: [ -1, 10 ] }"),
      HasSubstr("the model expects 2 dimensions (shape [-1,784]) but the model configuration specifies 2 dimensions "
                "(shape [-1,10])"));
  EXPECT_THAT(
      error("max_batch_size: 8 input { name: \"x\" dims: 10 }"),
      HasSubstr("the model expects 2 dimensions (shape [-1,784]) but the model configuration specifies 2 dimensions "
                "(an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, "
                "making complete shape [-1,10])"));
  EXPECT_THAT(error("input { name: \"x\" data_type: TYPE_INT8 }"),
              HasSubstr("configuration expects datatype TYPE_INT8 for input 'x', model provides TYPE_FP32"));
  EXPECT_THAT(error("input { name: \"z\" }"), HasSubstr("unexpected inference input 'z', allowed inputs are: x"));
  EXPECT_THAT(error("output { name: \"z\" }"), HasSubstr("unexpected inference output 'z', allowed outputs are: y"));
  EXPECT_EQ(error("input { name: \"x\" dims: [ 1, 784 ] } output { name: \"y\" }"), "");
}

TEST(CompleteModelTest, AnySizeInTheConfigurationIsTheModelsSize) {
  const auto config =
      Complete("max_batch_size: 8 input { name: \"x\" dims: -1 } output { name: \"y\" dims: -1 }", {kX}, {kY});
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->inputs[0].dims, (Shape{784}));
  EXPECT_EQ(config->outputs[0].dims, (Shape{10}));
  const TensorInfo fixed{.name = "x", .datatype = DataType::kFp32, .shape = {2, 3}};
  EXPECT_EQ(Complete("input { name: \"x\" dims: [ -1, -1 ] }", {fixed}, {kY})->inputs[0].dims, (Shape{2, 3}));
  EXPECT_THAT(
      CompletionError(Complete("max_batch_size: 8 input { name: \"x\" dims: -1 }", {fixed}, {kY})),
      HasSubstr("the model expects 2 dimensions (shape [2,3]) but the model configuration specifies 2 dimensions "
                "(an initial batch dimension"))
      << "rows of the model's number alone";
  EXPECT_THAT(CompletionError(Complete("input { name: \"x\" dims: [ 2, 4 ] }", {fixed}, {kY})),
              HasSubstr("the model expects 2 dimensions (shape [2,3])"));
}

// As in Triton, a default batch size implies batching.
TEST(CompleteModelTest, ACompletedBatchSizeBringsDynamicBatching) {
  const auto batches = [](std::string_view text, int32_t size = 64) {
    CompletionOptions options = AsTriton();
    options.default_max_batch_size = size;
    const auto config = Complete(text, {kX}, {kY}, options);
    EXPECT_TRUE(config.has_value()) << config.error().ToString();
    return config.has_value() && config->dynamic_batching.has_value();
  };
  EXPECT_TRUE(batches(""));
  EXPECT_FALSE(batches("", 1));
  EXPECT_FALSE(batches("max_batch_size: 8"));
  EXPECT_TRUE(batches("max_batch_size: 8 dynamic_batching { }"));
  EXPECT_TRUE(batches("max_batch_size: 8 inferd { batching: AUTO }"));
  EXPECT_FALSE(batches("max_batch_size: 1 inferd { batching: AUTO }"));
  EXPECT_FALSE(batches("inferd { batching: OFF }"));
  EXPECT_EQ(Complete("inferd { batching: OFF }", {kX}, {kY})->batching, BatchingMode::kOff);
  EXPECT_EQ(Complete("inferd { queue_policy { max_queue_size: 3 } }", {kX}, {kY}, AsTriton())
                ->dynamic_batching->default_queue_policy.queue_size_max,
            3u);
}

TEST(CompleteModelTest, TritonFillsNothingIntoAnEnsemble) {
  CompletionOptions options = AsTriton();
  options.triton_exact = true;
  const auto ensemble = Complete(R"(platform: "ensemble"
                                    input { name: "x" data_type: TYPE_FP32 dims: [ -1, 784 ] }
                                    output { name: "y" data_type: TYPE_FP32 dims: [ -1, 10 ] }
                                    ensemble_scheduling { step {
                                      model_name: "a" model_version: -1
                                      input_map { key: "x" value: "x" } output_map { key: "y" value: "y" } } })",
                                 {kX}, {kY}, options);
  ASSERT_TRUE(ensemble.has_value()) << ensemble.error().ToString();
  EXPECT_THAT(ensemble->document->ToJson(), Not(HasSubstr("pinned_memory")));
}

TEST(CompleteModelTest, TritonShowsWhatItFillsIn) {
  CompletionOptions options = AsTriton();
  options.triton_exact = true;
  options.default_max_batch_size = 4;
  const auto completed = Complete("", {kX}, {kY}, options);
  ASSERT_TRUE(completed.has_value()) << completed.error().ToString();
  EXPECT_THAT(completed->dynamic_batching->preferred_batch_sizes, ElementsAre(4));
  EXPECT_EQ(completed->instance_groups[0].count, 2) << "of ONNX Runtime";
  const std::string json = completed->document->ToJson();
  EXPECT_THAT(json, HasSubstr("\"input_pinned_memory\":{\"enable\":true}"));
  EXPECT_THAT(json, HasSubstr("\"output_pinned_memory\":{\"enable\":true}"));
  const auto written = Complete(
      "max_batch_size: 8 dynamic_batching { preferred_batch_size: 2 } instance_group { count: 3 } optimization { "
      "input_pinned_memory { enable: false } }",
      {kX}, {kY}, options);
  ASSERT_TRUE(written.has_value()) << written.error().ToString();
  EXPECT_THAT(written->dynamic_batching->preferred_batch_sizes, ElementsAre(2));
  EXPECT_EQ(written->instance_groups[0].count, 3);
  EXPECT_THAT(written->document->ToJson(), HasSubstr("\"input_pinned_memory\":{\"enable\":false}"));
  auto custom = ResolveModel(Parsed(""), "a.custom", {}, options);
  ASSERT_TRUE(custom.has_value()) << custom.error().ToString();
  EXPECT_THAT(custom->default_model_filename, "") << "no such file need be there";
  custom = Completed(*std::move(custom), {}, {}, options);
  ASSERT_TRUE(custom.has_value()) << custom.error().ToString();
  EXPECT_EQ(custom->default_model_filename, "model.custom");
}

TEST(CompleteModelTest, WithoutCompletionTheConfigurationSaysAll) {
  CompletionOptions options = AsTriton();
  options.complete = false;
  EXPECT_EQ(CompletionError(Resolve("", {"model.onnx"}, options)), "must specify 'platform' or 'backend' for 'm'");
  const std::string onnx = "platform: \"onnxruntime_onnx\" ";
  const std::string x = "input { name: \"x\" data_type: TYPE_FP32 dims: [ -1, 784 ] } ";
  const std::string y = "output { name: \"y\" data_type: TYPE_FP32 dims: [ -1, 10 ] } ";
  EXPECT_THAT(CompletionError(Complete(onnx + y, {kX}, {kY}, options)),
              HasSubstr("configuration expects 0 inputs, model provides 1"));
  EXPECT_THAT(CompletionError(Complete(onnx + x, {kX}, {kY}, options)),
              HasSubstr("configuration expects 0 outputs, model provides 1"));
  const auto whole = Complete(onnx + x + y, {kX}, {kY}, options);
  ASSERT_TRUE(whole.has_value()) << whole.error().ToString();
  EXPECT_EQ(whole->max_batch_size, 0);
  EXPECT_FALSE(whole->dynamic_batching.has_value());
}

TEST(CompleteModelTest, AutoNeedsAModelThatBatches) {
  const TensorInfo fixed{.name = "y", .datatype = DataType::kFp32, .shape = {1, 10}};
  EXPECT_EQ(CompletionError(Complete("inferd { batching: AUTO }", {kX}, {fixed})),
            "c.pbtxt:1:10: inferd.batching: AUTO needs a max_batch_size above 0 for m");
}

TEST(CompleteModelTest, TheModelIsComparedWithTheReshape) {
  const std::string text = "max_batch_size: 8 input { name: \"x\" dims: [ 28, 28 ] reshape { shape: ";
  const auto config = Complete(text + "784 } }", {kX}, {kY});
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->inputs[0].dims, (Shape{28, 28}));
  EXPECT_EQ(config->inputs[0].reshape, (Shape{784}));
  EXPECT_THAT(CompletionError(Complete(text + "[ 4, 196 ] } }", {kX}, {kY})),
              HasSubstr("tensor 'x': the model expects 2 dimensions (shape [-1,784])"));
  const TensorInfo scalars{.name = "y", .datatype = DataType::kFp32, .shape = {-1}};
  const auto one = Complete("max_batch_size: 8 output { name: \"y\" dims: 1 reshape { } }", {kX}, {scalars});
  ASSERT_TRUE(one.has_value()) << one.error().ToString();
  EXPECT_EQ(one->outputs[0].reshape, Shape());
}

TEST(CompleteModelTest, RaggedInputsAreOneRowOfElements) {
  const std::string text = "max_batch_size: 8 input { name: \"x\" dims: [ -1, 2 ] allow_ragged_batch: true }";
  const TensorInfo row{.name = "x", .datatype = DataType::kFp32, .shape = {-1}};
  EXPECT_EQ(CompletionError(Complete(text, {row}, {kY})), "");
  EXPECT_THAT(CompletionError(Complete(text, {kX}, {kY})),
              HasSubstr("the model expects 2 dimensions (shape [-1,784])"));
}

TEST(CompleteModelTest, ControlsOfSequencesAreTheModelsButNotItsClients) {
  const std::string text =
      "max_batch_size: 8\ninput { name: \"x\" dims: 784 }\n"
      "sequence_batching { direct { minimum_slot_utilization: 0.5 max_queue_delay_microseconds: 7 }\n"
      "control_input { name: \"START\" control { kind: CONTROL_SEQUENCE_START fp32_false_true: [ -1, 2 ] } }\n"
      "control_input { name: \"id\" control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 } } }";
  TensorInfo start{.name = "START", .datatype = DataType::kFp32, .shape = {-1, 1}};
  const TensorInfo id{.name = "id", .datatype = DataType::kUint64, .shape = {-1}};
  const auto config = Complete(text, {start, kX, id}, {kY});
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->inputs.size(), 1u);
  EXPECT_FALSE(config->dynamic_batching.has_value());
  const SequenceBatching& batching = config->sequence_batching.value();
  EXPECT_EQ(batching.strategy, SequenceStrategy::kDirect);
  EXPECT_EQ(batching.minimum_slot_utilization, 0.5f);
  EXPECT_EQ(batching.max_queue_delay_us, 7u);
  EXPECT_EQ(batching.max_idle_us, SequenceBatching::kIdleUsDefault);
  ASSERT_EQ(batching.controls.size(), 2u);
  EXPECT_EQ(batching.controls[0].kind, SequenceControlKind::kStart);
  EXPECT_EQ(batching.controls[0].datatype, DataType::kFp32);
  EXPECT_EQ(batching.controls[0].false_value, -1);
  EXPECT_EQ(batching.controls[0].true_value, 2);
  EXPECT_EQ(batching.controls[1].kind, SequenceControlKind::kCorrid);
  EXPECT_EQ(batching.controls[1].datatype, DataType::kUint64);
  EXPECT_THAT(CompletionError(Complete(text, {start, kX}, {kY})),
              HasSubstr("sequence_batching.control_input[1].name: the model has no input 'id'"));
  start.datatype = DataType::kInt32;
  EXPECT_THAT(CompletionError(Complete(text, {start, kX, id}, {kY})),
              HasSubstr("configuration expects datatype TYPE_FP32 for control 'START', model provides TYPE_INT32"));
}

TEST(CompleteModelTest, StatesOfSequencesAreTheModelsButNotItsClients) {
  const std::string text =
      "max_batch_size: 8\nsequence_batching { iterative_sequence: true\n"
      "state { input_name: \"in\" output_name: \"out\" data_type: TYPE_FP32 dims: [ -1, 2 ] } }";
  TensorInfo in{.name = "in", .datatype = DataType::kFp32, .shape = {-1, -1, 2}};
  const TensorInfo out{.name = "out", .datatype = DataType::kFp32, .shape = {-1, -1, 2}};
  auto config = Complete(text, {in, kX}, {kY, out});
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->inputs.size(), 1u);
  EXPECT_EQ(config->outputs.size(), 1u);
  EXPECT_TRUE(config->sequence_batching->iterative);
  const SequenceState& state = config->sequence_batching->states.at(0);
  EXPECT_EQ(state.input, "in");
  EXPECT_EQ(state.output, "out");
  EXPECT_EQ(state.dims, (tensor::Shape{-1, 2}));
  EXPECT_EQ(state.initial_dims, (tensor::Shape{1, 2})) << "what is left open is 1";
  EXPECT_EQ(state.initial_file, "");
  config = Complete(text + "output { name: \"out\" dims: [ -1, 2 ] }", {in, kX}, {kY, out});
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->outputs.size(), 1u) << "listed, it is for clients";
  EXPECT_THAT(CompletionError(Complete(text, {kX}, {kY, out})),
              HasSubstr("sequence_batching.state[0].input_name: the model has no input 'in'"));
  EXPECT_THAT(CompletionError(Complete(text, {in, kX}, {kY})),
              HasSubstr("sequence_batching.state[0].output_name: the model has no output 'out'"));
  in.datatype = DataType::kInt32;
  EXPECT_THAT(CompletionError(Complete(text, {in, kX}, {kY, out})),
              HasSubstr("configuration expects datatype TYPE_FP32 for state 'in', model provides TYPE_INT32"));
}

TEST(CompleteModelTest, OldestIsReadAsWritten) {
  const auto config = Complete(
      "max_batch_size: 8\nsequence_batching { max_sequence_idle_microseconds: 5 oldest { max_candidate_sequences: 3 "
      "preferred_batch_size: [ 2, 4 ] max_queue_delay_microseconds: 9 preserve_ordering: true } }",
      {kX}, {kY});
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  const SequenceBatching& batching = config->sequence_batching.value();
  EXPECT_EQ(batching.strategy, SequenceStrategy::kOldest);
  EXPECT_EQ(batching.max_idle_us, 5u);
  EXPECT_EQ(batching.max_candidate_sequences, 3);
  EXPECT_EQ(batching.preferred_batch_sizes, (std::vector<int32_t>{2, 4}));
  EXPECT_EQ(batching.max_queue_delay_us, 9u);
  EXPECT_TRUE(batching.preserve_ordering);
}

TEST(CompleteModelTest, BatchInputsAreTheModelsButNotItsClients) {
  const std::string text =
      "max_batch_size: 8\ninput { name: \"x\" dims: -1 allow_ragged_batch: true }\n"
      "batch_input { kind: BATCH_ACCUMULATED_ELEMENT_COUNT target_name: \"ends\" data_type: TYPE_INT32 "
      "source_input: \"x\" }";
  const TensorInfo row{.name = "x", .datatype = DataType::kFp32, .shape = {-1}};
  TensorInfo ends{.name = "ends", .datatype = DataType::kInt32, .shape = {-1}};
  const auto config = Complete(text, {ends, row}, {kY});
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  ASSERT_EQ(config->inputs.size(), 1u);
  ASSERT_EQ(config->batch_inputs.size(), 1u);
  EXPECT_EQ(config->batch_inputs[0].kind, BatchInputKind::kAccumulatedElementCount);
  EXPECT_EQ(config->batch_inputs[0].target_name, "ends");
  EXPECT_EQ(config->batch_inputs[0].source_input, "x");
  EXPECT_EQ(CompletionError(Complete(text, {row}, {kY})),
            "c.pbtxt:3:53: batch_input[0].target_name[0]: the model has no input 'ends'");
  ends.datatype = DataType::kFp32;
  EXPECT_THAT(CompletionError(Complete(text, {ends, row}, {kY})),
              HasSubstr("batch_input[0].data_type: unable to load model 'm', configuration expects datatype TYPE_INT32 "
                        "for batch input 'ends', model provides TYPE_FP32"));
}

TEST(CompleteModelTest, ScatteredOutputsHaveAnyShape) {
  const std::string text =
      "max_batch_size: 8 output { name: \"y\" dims: [ -1, 2 ] }"
      "batch_output { target_name: \"y\" source_input: \"x\" }";
  const TensorInfo row{.name = "y", .datatype = DataType::kFp32, .shape = {-1}};
  const auto config = Complete(text, {kX}, {row});
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->outputs[0].dims, (Shape{-1, 2}));
  ASSERT_EQ(config->batch_outputs.size(), 1u);
  EXPECT_EQ(config->batch_outputs[0].target_name, "y");
}

TEST(CompleteModelTest, EveryRequiredInputMustBeWritten) {
  const TensorInfo required{.name = "r", .datatype = DataType::kFp32, .shape = {-1}};
  TensorInfo optional = required;
  optional.optional = true;
  EXPECT_THAT(CompletionError(Complete("input { name: \"x\" }", {kX, required}, {kY})),
              HasSubstr("unable to load model 'm', configuration expects 1 inputs, model provides 2: "
                        "the configuration has 'x', the model has 'x', 'r'"));
  EXPECT_THAT(
      CompletionError(Complete("input { name: \"wrong\" }", {kX}, {kY})),
      HasSubstr("configuration expects 1 inputs, model provides 1: the configuration has 'wrong', the model has "
                "'x'"));
  EXPECT_TRUE(Complete("input { name: \"x\" }", {kX, optional}, {kY}).has_value());
}

TEST(CompleteModelTest, MissingTypesAndDimsComeFromTheModel) {
  const auto config = Complete("max_batch_size: 2 input { name: \"x\" } output { name: \"y\" }", {kX}, {kY});
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->inputs[0].datatype, DataType::kFp32);
  EXPECT_EQ(config->inputs[0].dims, (Shape{784}));
  EXPECT_EQ(config->outputs[0].dims, (Shape{10}));
  const TensorInfo untyped{.name = "x", .shape = {-1, 784}};
  EXPECT_THAT(CompletionError(Complete("input { name: \"x\" }", {untyped}, {kY})),
              HasSubstr("model input 'x' must specify 'data_type' for m"));
}

TEST(CompleteModelTest, BatchingIsTheDefaultsWhereNothingIsWritten) {
  CompletionOptions options = AsTriton();
  options.default_max_batch_size = 8;
  options.default_batching = {.max_queue_delay_us = 500,
                              .preferred_batch_sizes = {4, 8, 16},
                              .allowed_batch_sizes = {2, 8, 16},
                              .split_large_requests = true,
                              .queue_size_max = 7};
  const auto complete = [&](const char* text) {
    const auto resolved = ResolveModel(*ParseModelConfig(text, "f"), "m", {{"model.onnx"}}, options);
    return Completed(*resolved, {kX}, {kY}, options).value();
  };
  const ModelConfig config = complete("");
  ASSERT_TRUE(config.dynamic_batching.has_value());
  EXPECT_EQ(config.dynamic_batching->max_queue_delay_us, 500u);
  EXPECT_EQ(config.dynamic_batching->preferred_batch_sizes, (std::vector<int32_t>{4, 8}));
  EXPECT_TRUE(config.split_large_requests);
  EXPECT_EQ(config.allowed_batch_sizes, (std::vector<int64_t>{2, 8}));
  EXPECT_EQ(config.dynamic_batching->default_queue_policy.queue_size_max, 7u);
  EXPECT_EQ(complete("inferd { queue_policy { max_queue_size: 3 } }").queue_policy.queue_size_max, 3u);
  EXPECT_EQ(complete("dynamic_batching { }").dynamic_batching->max_queue_delay_us, 0u);
  EXPECT_FALSE(complete("max_batch_size: 8").dynamic_batching.has_value());
}

TEST(CompleteModelTest, ScalarsAreAllowed) {
  const TensorInfo scalar{.name = "s", .datatype = DataType::kInt64, .shape = {}};
  const auto config = Complete("", {scalar}, {scalar});
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->inputs[0].dims.rank(), 0u);
}

TEST(AddCompletedTest, TheModelsOwnWordIsInTheConfiguration) {
  const auto completed = [](std::string_view text, int32_t rows, bool dynamic) {
    const auto config = AddCompleted(*Resolve(text), {.max_batch_size = rows, .dynamic_batching = dynamic}, {});
    return Completed(*config, {kX}, {kY}, {})->document->ToPbtxt();
  };
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  using ::testing::Not;
  EXPECT_THAT(completed("", 4, true),
              AllOf(HasSubstr("max_batch_size: 4"), HasSubstr("dynamic_batching"), HasSubstr("784")));
  EXPECT_THAT(completed("max_batch_size: 2", 4, false),
              AllOf(HasSubstr("max_batch_size: 4"), Not(HasSubstr("dynamic_batching"))));
  EXPECT_THAT(completed("", 0, true), HasSubstr("dynamic_batching"));
  EXPECT_EQ(AddCompleted(*Resolve(""), {.dynamic_batching = true}, {})->max_batch_size, 0);
  CompletionOptions written;
  written.complete = false;
  EXPECT_NE(CompletionError(AddCompleted(*Resolve(""), {.max_batch_size = 4}, written)), "");
}

TEST(AddCompletedTest, TheTransactionPolicyIsShownWhateverItSays) {
  for (const bool decoupled : {false, true}) {
    const auto config = AddCompleted(*Resolve(""), {.decoupled = decoupled}, {});
    ASSERT_TRUE(config.has_value()) << config.error().ToString();
    EXPECT_EQ(config->decoupled, decoupled);
    EXPECT_THAT(config->document->ToJson(), HasSubstr(std::string("\"model_transaction_policy\":{\"decoupled\":") +
                                                      (decoupled ? "true}" : "false}")));
  }
}

// Like Triton's merging of tensors from auto_complete_config.
TEST(CompleteModelTest, ModelsAddTensorsToTheirConfiguration) {
  const TensorInfo further{.name = "further", .datatype = DataType::kFp32, .shape = {-1, 4}, .optional = true};
  const TensorInfo more{.name = "more", .datatype = DataType::kInt8, .shape = {-1, -1}};
  const std::string text =
      "max_batch_size: 2 input { name: \"x\" data_type: TYPE_FP32 dims: [ 784 ] } output { name: \"y\" data_type: "
      "TYPE_FP32 dims: [ 10 ] }";
  const auto complete = [&](const CompletionOptions& options) {
    return CompleteModel(*Resolve(text), {kX, further}, {kY, more}, options, {}, /*adds_tensors=*/true);
  };
  const auto config = complete({});
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  ASSERT_EQ(config->inputs.size(), 2u);
  EXPECT_EQ(config->inputs[1].name, "further");
  EXPECT_TRUE(config->inputs[1].optional);
  EXPECT_EQ(config->inputs[1].dims.ToString(), "[4]");
  ASSERT_EQ(config->outputs.size(), 2u);
  EXPECT_EQ(config->outputs[1].name, "more");
  CompletionOptions written;
  written.complete = false;
  EXPECT_EQ(complete(written)->inputs.size(), 1u) << "an optional input that no configuration lists";
}

}  // namespace model_config_completion_test
}  // namespace inferd::config
