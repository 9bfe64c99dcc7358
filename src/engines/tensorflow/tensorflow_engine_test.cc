#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/running_model.h"
#include "tests/support/temp_dir.h"

namespace inferd {
namespace {

using inferd::support::Packed;
using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using inferd::support::ValuesOf;
using inferd::support::WithParameters;
using tensor::DataType;
using tensor::Shape;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path kModels = INFERD_TEST_MODELS;
const std::filesystem::path kExamples = INFERD_EXAMPLE_MODELS;

enginehost::PluginEngine& Engine() {
  static auto& engine = support::OpenEngine(std::filesystem::path(INFERD_ENGINES_DIR) / "tensorflow.so");
  return engine;
}

base::Result<std::unique_ptr<core::EngineModel>> Load(const std::filesystem::path& file,
                                                      const config::ModelConfig& config = {}) {
  return support::LoadFile(Engine(), kModels / file, config);
}

// A SavedModel in the V2 layout.
struct Running : support::RunningModel {
  explicit Running(const std::string& name, const config::ModelConfig& config = {})
      : RunningModel(Load("tensorflow/" + name + "/1/model.savedmodel", config)) {}
};

TEST(TensorflowEngineTest, SaysItsVersion) {
  EXPECT_EQ(Engine().name(), "tensorflow");
  EXPECT_EQ(Engine().default_model_filename(), "model.savedmodel");
  EXPECT_THAT(std::string(Engine().version()), ::testing::StartsWith("2"));
}

TEST(TensorflowEngineTest, HalfPlusTwoWithoutACopy) {
  const Running model("half_plus_two");
  ASSERT_TRUE(model.model);
  EXPECT_EQ(model.model->signature().inputs[0].name, "x");
  EXPECT_EQ(model.model->signature().inputs[0].shape, (Shape{-1, 1}));
  EXPECT_EQ(model.model->signature().outputs[0].datatype, DataType::kFp32);
  EXPECT_EQ(model.model->compute_threads(), 1);
  const uint64_t copies = Engine().copies().inputs + Engine().copies().outputs;
  core::InferTensor kept;
  {
    RecordingExecution execution;
    execution.AddInput(0, DataType::kFp32, {3, 1}, SliceOf<float>({1, 2, 5}));
    model.Run(&execution);
    ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
    kept = execution.output(0);
  }
  EXPECT_EQ(kept.shape, (Shape{3, 1}));
  EXPECT_THAT(ValuesOf<float>(kept.data), ElementsAre(2.5, 3, 4.5));
  EXPECT_EQ(Engine().copies().inputs + Engine().copies().outputs, copies);
}

TEST(TensorflowEngineTest, VersionFoldersThatAreSavedModels) {
  const support::RunningModel model(Load(kExamples / "half_plus_two/123/saved_model.pb"));
  ASSERT_TRUE(model.model);
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {2}, SliceOf<float>({1, 2}));  // from TensorFlow Serving's example
  model.Run(&execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  EXPECT_THAT(ValuesOf<float>(execution.output(0).data), ElementsAre(2.5, 3));
}

// All run on one session, each with names, numbers and instances of its own.
TEST(TensorflowEngineTest, EverySignatureIsServed) {
  const support::RunningModel first(Load(kExamples / "half_plus_two/123/saved_model.pb"));
  ASSERT_TRUE(first.model);
  EXPECT_EQ(first.model->signature().name, "serving_default");
  EXPECT_EQ(first.model->signature().method_name, "tensorflow/serving/predict");
  EXPECT_EQ(first.model->signature().inputs[0].graph_name, "x:0");
  std::map<std::string, std::unique_ptr<core::EngineModel>> others;
  for (auto& other : first.model->OtherSignatures()) others[other->signature().name] = std::move(other);
  ASSERT_TRUE(others.contains("regress_x_to_y"));
  const core::ModelSignature& regress = others["regress_x_to_y"]->signature();
  EXPECT_EQ(regress.method_name, "tensorflow/serving/regress");
  EXPECT_EQ(regress.inputs[0].name, "inputs");
  EXPECT_EQ(regress.inputs[0].datatype, DataType::kBytes);
  EXPECT_FALSE(others.contains("serving_default"));
  EXPECT_FALSE(regress.only_shown);

  ASSERT_TRUE(others.contains("asset"));
  const auto instance = *others["asset"]->CreateInstance({});
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {1, 1}, SliceOf<float>({1}));
  execution.outputs = {0};
  instance->Execute(execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  EXPECT_EQ(execution.output(0).data.view(), Packed({"asset-file-contents"}).view());
  RecordingExecution half;
  half.AddInput(0, DataType::kFp32, {1, 1}, SliceOf<float>({1}));
  first.Run(&half);
  EXPECT_THAT(ValuesOf<float>(half.output(0).data), ElementsAre(2.5));
}

TEST(TensorflowEngineTest, ComplexNumbersAreTakenAsTheyAre) {
  const Running model("complex");
  ASSERT_TRUE(model.model);
  EXPECT_EQ(model.model->signature().name, "serving_default");
  EXPECT_EQ(model.model->signature().inputs[0].datatype, DataType::kComplex64);
  RecordingExecution execution;
  execution.AddInput(0, DataType::kComplex64, {2}, SliceOf<float>({1.5, 2, -3, 4}));
  model.Run(&execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  EXPECT_EQ(execution.output(0).shape, (Shape{2}));
  EXPECT_THAT(ValuesOf<float>(execution.output(0).data), ElementsAre(1.5, -3)) << "the real parts";
}

// SessionRun uses the graph's names, and no signature.
TEST(TensorflowEngineTest, AnyTensorOfTheGraphIsFedAndFetched) {
  const support::RunningModel first(Load(kExamples / "half_plus_two/123/saved_model.pb"));
  const core::SignatureOpener open = first.model->GraphSignatures();
  ASSERT_NE(open, nullptr);
  const auto opened = open({.feeds = {"x"}, .fetches = {"y2:0", "a/read"}, .targets = {"c/read"}});
  ASSERT_TRUE(opened.has_value()) << opened.error().ToString();
  const core::ModelSignature& signature = (*opened)->signature();
  EXPECT_EQ(signature.inputs[0].name, "x");
  EXPECT_TRUE(signature.inputs[0].any_shape);
  EXPECT_EQ(signature.outputs[1].name, "a/read");
  EXPECT_EQ(signature.max_batch_size, 0);
  const auto instance = *(*opened)->CreateInstance({});
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {3}, SliceOf<float>({1, 2, 5}));
  execution.outputs = {0, 1};
  instance->Execute(execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  EXPECT_THAT(ValuesOf<float>(execution.output(0).data), ElementsAre(3.5, 4, 5.5));
  EXPECT_THAT(ValuesOf<float>(execution.output(1).data), ElementsAre(0.5));
}

TEST(TensorflowEngineTest, CallsOfAGraphThatCannotBe) {
  const support::RunningModel first(Load(kExamples / "half_plus_two/123/saved_model.pb"));
  const core::SignatureOpener open = first.model->GraphSignatures();
  const auto why = [&](const core::GraphCall& call) {
    const auto opened = open(call);
    return opened.has_value() ? std::string() : opened.error().ToString();
  };
  const auto not_found = [](const char* message) { return base::NotFound(message).ToString(); };
  EXPECT_EQ(why({.feeds = {"z:0"}, .fetches = {"y"}, .targets = {}}),
            not_found("FeedInputs: unable to find feed output z:0"));
  EXPECT_EQ(why({.feeds = {}, .fetches = {"y:7"}, .targets = {}}), not_found("FetchOutputs node y:7: not found"));
  EXPECT_EQ(why({.feeds = {}, .fetches = {}, .targets = {"no", "y", "none"}}),
            not_found("PruneForTargets: Some target nodes not found: no, none"));
  const auto unfed = open({.feeds = {}, .fetches = {"y"}, .targets = {}});
  const auto instance = *(*unfed)->CreateInstance({});
  RecordingExecution execution;
  execution.outputs = {0};
  instance->Execute(execution);
  EXPECT_EQ(execution.responses()[0].status.code(), base::StatusCode::kInvalidArgument)
      << "its placeholder has no value";
}

TEST(TensorflowEngineTest, AVariableBehindAReferenceIsOfItsBaseType) {
  const support::RunningModel first(Load(kExamples / "half_plus_two/123/saved_model.pb"));
  const auto variable = first.model->GraphSignatures()({.feeds = {}, .fetches = {"a"}, .targets = {}});
  ASSERT_TRUE(variable.has_value()) << variable.error().ToString();
  EXPECT_EQ((*variable)->signature().outputs[0].datatype, DataType::kFp32);
  const auto instance = *(*variable)->CreateInstance({});
  RecordingExecution execution;
  execution.outputs = {0};
  instance->Execute(execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  EXPECT_THAT(ValuesOf<float>(execution.output(0).data), ElementsAre(0.5));
}

TEST(TensorflowEngineTest, AnotherSignatureWithAnAssetThatWasReadAtLoading) {
  const support::RunningModel model(
      Load(kExamples / "half_plus_two/123/saved_model.pb", WithParameters({{"TF_SIGNATURE_DEF", "asset"}})));
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {1, 1}, SliceOf<float>({1}));
  model.Run(&execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  EXPECT_EQ(execution.output(0).data.view(), Packed({"asset-file-contents"}).view());
}

TEST(TensorflowEngineTest, FrozenGraphsTakeTheirTensorsFromTheConfiguration) {
  config::ModelConfig config;
  config.inputs.push_back({.name = "x:0", .datatype = DataType::kFp32, .dims = {-1, 1}});
  config.outputs.push_back({.name = "y", .datatype = DataType::kFp32, .dims = {-1, 1}});
  const support::RunningModel model(Load("tensorflow/frozen/1/model.graphdef", config));
  ASSERT_TRUE(model.model);
  EXPECT_EQ(model.model->signature().method_name, "tensorflow/serving/predict");
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {1, 1}, SliceOf<float>({4}));
  model.Run(&execution);
  EXPECT_THAT(ValuesOf<float>(execution.output(0).data), ElementsAre(4));

  const auto without = Load("tensorflow/frozen/1/model.graphdef");
  ASSERT_FALSE(without);
  EXPECT_THAT(without.error().message(), HasSubstr("Its placeholders: x, "));
  config.outputs[0].name = "z";
  EXPECT_EQ(Load("tensorflow/frozen/1/model.graphdef", config).error().message(), "the graph has no operator 'z'");
  config.outputs[0].name = "y:1";
  EXPECT_EQ(Load("tensorflow/frozen/1/model.graphdef", config).error().message(),
            "operator 'y' has 1 outputs: there is no 'y:1'");
}

TEST(TensorflowEngineTest, EveryDatatypeGoesThroughUnchanged) {
  for (const auto& [name, datatype] : support::kNumericTypes) {
    SCOPED_TRACE(name);
    support::ExpectIdentity(Running(std::string("identity_") + name), datatype);
  }
}

TEST(TensorflowEngineTest, StringsKeepZeroBytes) { support::ExpectStringsKept(Running("identity_bytes")); }

TEST(TensorflowEngineTest, OnlyWantedOutputsAreComputed) {
  const Running strings("strings");
  RecordingExecution execution;
  execution.AddInput(0, DataType::kBytes, {2}, Packed({"abc", ""}));
  execution.outputs = {0};
  strings.instance->Execute(execution);
  ASSERT_EQ(execution.responses()[0].outputs.size(), 1u);
  EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(3, 0));
}

TEST(TensorflowEngineTest, StateIsSharedByInstancesAndOutlivesTheRequestsMemory) {
  const Running counter("counter");
  const auto other = *counter.model->CreateInstance({.ordinal = 1});
  const std::string word(100, 'w');
  RecordingExecution first;
  first.AddInput(0, DataType::kInt64, {}, SliceOf<int64_t>({40}));
  first.AddInput(1, DataType::kBytes, {1}, Packed({word}));
  counter.Run(&first);
  EXPECT_THAT(ValuesOf<int64_t>(first.output(0).data), ElementsAre(40));
  first.inputs.clear();
  RecordingExecution second;
  second.AddInput(0, DataType::kInt64, {}, SliceOf<int64_t>({2}));
  second.AddInput(1, DataType::kBytes, {1}, Packed({"x"}));
  second.outputs = {0, 1};
  other->Execute(second);
  EXPECT_THAT(ValuesOf<int64_t>(second.output(0).data), ElementsAre(42));
  EXPECT_EQ(second.output(1).data.view(), Packed({word}).view());
}

TEST(TensorflowEngineTest, ShapesThatTheModelDoesNotKnow) {
  const Running any("any_rank");
  ASSERT_TRUE(any.model);
  EXPECT_TRUE(any.model->signature().inputs[0].any_shape);
  EXPECT_TRUE(any.model->signature().inputs[0].unknown_rank);
  EXPECT_TRUE(any.model->signature().outputs[0].unknown_rank);
  const Running scalar("scalar");
  EXPECT_FALSE(scalar.model->signature().inputs[0].unknown_rank);
  EXPECT_FALSE(scalar.model->signature().outputs[0].unknown_rank);
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {1, 2, 1}, SliceOf<float>({1, 3}));
  any.Run(&execution);
  EXPECT_EQ(execution.output(0).shape, (Shape{1, 2, 1}));
  EXPECT_THAT(ValuesOf<float>(execution.output(0).data), ElementsAre(2, 6));

  const Running nonzero("nonzero");
  RecordingExecution few;
  few.AddInput(0, DataType::kFp32, {4}, SliceOf<float>({0, 2, 0, 3}));
  nonzero.Run(&few);
  EXPECT_EQ(few.output(0).shape, (Shape{2, 1}));
  EXPECT_THAT(ValuesOf<int64_t>(few.output(0).data), ElementsAre(1, 3));
}

TEST(TensorflowEngineTest, ShapesOfTheConfigurationHold) {
  config::ModelConfig config;
  config.inputs.push_back({.name = "x", .datatype = DataType::kFp32, .dims = {2, 2}});
  const Running any("any_rank", config);
  ASSERT_TRUE(any.model);
  EXPECT_EQ(any.model->signature().inputs[0].shape, (Shape{2, 2}));
  EXPECT_FALSE(any.model->signature().inputs[0].any_shape);
  EXPECT_FALSE(any.model->signature().inputs[0].unknown_rank);
}

TEST(TensorflowEngineTest, AnySizeInTheConfigurationWidensWhatTheFileSays) {
  config::ModelConfig config;
  config.inputs.push_back({.name = "x", .datatype = DataType::kFp32, .dims = {-1, -1}});
  const Running mlp("mlp", config);
  ASSERT_TRUE(mlp.model);
  EXPECT_EQ(mlp.model->signature().inputs[0].shape, (Shape{-1, -1}));
  config.inputs[0].dims = {-1};
  config.max_batch_size = 8;
  const Running batching("mlp", config);
  EXPECT_EQ(batching.model->signature().inputs[0].shape, (Shape{-1, -1}));
}

TEST(TensorflowEngineTest, SettingsReachTheSession) {
  config::ModelConfig config = WithParameters({{"TF_NUM_INTRA_THREADS", "2"}, {"TF_NUM_INTER_THREADS", "3"}});
  for (const int level : {-1, 0, 1}) {
    config.graph_optimization_level = level;
    const Running mlp("mlp", config);
    ASSERT_TRUE(mlp.model);
    EXPECT_EQ(mlp.model->compute_threads(), 3);
    RecordingExecution execution;
    execution.AddInput(0, DataType::kFp32, {1, 784}, SliceOf(std::vector<float>(784, 0.25F)));
    mlp.Run(&execution);
    ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
    float sum = 0;
    for (const float p : ValuesOf<float>(execution.output(0).data)) sum += p;
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST(TensorflowEngineTest, WhatCannotBeLoadedSaysWhy) {
  const auto why = [](const std::string& model, std::map<std::string, std::string> parameters = {}) {
    const auto loaded = Load(model + "/1/model.savedmodel", WithParameters(std::move(parameters)));
    if (loaded) return std::string("it was loaded");
    EXPECT_EQ(loaded.error().code(), base::StatusCode::kInvalidArgument) << loaded.error().ToString();
    return loaded.error().message();
  };
  EXPECT_THAT(why("tensorflow/signatures", {{"TF_SIGNATURE_DEF", "x"}}), HasSubstr("Its signatures: double, half"));
  EXPECT_THAT(why("tensorflow/half_plus_two", {{"TF_SIGNATURE_DEF", "no"}}), HasSubstr("no signature 'no'"));
  EXPECT_THAT(why("tensorflow_bad/sparse"), HasSubstr("tensor 'x' is sparse or ragged"));
  EXPECT_THAT(why("tensorflow_bad/garbage"), HasSubstr("saved_model.pb"));
  for (const char* model : {"tensorflow_bad/no_variables", "tensorflow/tags", "tensorflow/no_such_model"}) {
    const auto loaded = Load(std::string(model) + "/1/model.savedmodel");
    ASSERT_FALSE(loaded) << model;
    EXPECT_THAT(loaded.error().message(), ::testing::Not(::testing::IsEmpty())) << model;
  }
  const support::TempDir folder;
  folder.Write("1/model.graphdef", "this is no protobuf");
  const auto garbage = support::LoadFile(Engine(), folder.path() / "1/model.graphdef");
  ASSERT_FALSE(garbage);
  EXPECT_EQ(garbage.error().code(), base::StatusCode::kInvalidArgument);
  config::ModelConfig config;
  config.op_library_filenames = {"none.so"};
  EXPECT_THAT(Load("tensorflow/mlp/1/model.savedmodel", config).error().message(),
              HasSubstr("custom operator library '"));
}

TEST(TensorflowEngineTest, InputsThatTheModelCannotTakeAreTheClientsFault) {
  const Running model("matmul");
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {1, 2}, SliceOf<float>({1, 2}));
  execution.AddInput(1, DataType::kFp32, {3, 1}, SliceOf<float>({1, 2, 3}));
  const base::Status status = model.Failure(&execution);
  EXPECT_EQ(status.code(), base::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("Matrix size-incompatible"));
  EXPECT_THAT(status.message(), ::testing::Not(HasSubstr("\n")));
  RecordingExecution next;
  next.AddInput(0, DataType::kFp32, {1, 2}, SliceOf<float>({1, 2}));
  next.AddInput(1, DataType::kFp32, {2, 1}, SliceOf<float>({3, 4}));
  EXPECT_TRUE(model.Failure(&next).ok());
}

TEST(TensorflowEngineTest, WhatNobodyWaitsForIsNotRun) {
  const Running counter("counter");
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt64, {}, SliceOf<int64_t>({1}));
  execution.AddInput(1, DataType::kBytes, {1}, Packed({"x"}));
  execution.cancelled = true;
  EXPECT_EQ(counter.Failure(&execution).code(), base::StatusCode::kCancelled);
  RecordingExecution next;
  next.AddInput(0, DataType::kInt64, {}, SliceOf<int64_t>({1}));
  next.AddInput(1, DataType::kBytes, {1}, Packed({"x"}));
  counter.Run(&next);
  EXPECT_THAT(ValuesOf<int64_t>(next.output(0).data), ElementsAre(1));
}

TEST(TensorflowEngineTest, InstancesRunSideBySide) {
  const auto model = Load("tensorflow/mlp/1/model.savedmodel");
  ASSERT_TRUE(model);
  support::ExpectInstancesSideBySide(**model);
}

}  // namespace
}  // namespace inferd
