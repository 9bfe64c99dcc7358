#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/running_model.h"
#include "tests/support/temp_dir.h"

namespace inferd {
namespace {

using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using inferd::support::ValuesOf;
using inferd::support::WithParameters;
using tensor::DataType;
using tensor::Shape;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path kModels = INFERD_TEST_MODELS;

enginehost::PluginEngine& Engine() {
  static auto& engine = support::OpenEngine(std::filesystem::path(INFERD_ENGINES_DIR) / "openvino.so");
  return engine;
}

base::Result<std::unique_ptr<core::EngineModel>> Load(const std::filesystem::path& file,
                                                      const config::ModelConfig& config = {}) {
  return support::LoadFile(Engine(), kModels / file, config);
}

struct Running : support::RunningModel {
  explicit Running(const std::filesystem::path& file, const config::ModelConfig& config = {})
      : RunningModel(Load(file, config)) {}
};

struct SavedModel : Running {
  explicit SavedModel(const std::string& name) : Running("tensorflow/" + name + "/1/model.savedmodel") {}
};

TEST(OpenvinoEngineTest, SaysItsVersion) {
  EXPECT_EQ(Engine().name(), "openvino");
  EXPECT_EQ(Engine().default_model_filename(), "model.xml");
  EXPECT_THAT(std::string(Engine().version()), ::testing::StartsWith("2026."));
}

TEST(OpenvinoEngineTest, InputsAreReadWhereTheyLie) {
  const SavedModel model("half_plus_two");
  ASSERT_TRUE(model.model);
  EXPECT_EQ(model.model->signature().inputs[0].name, "x");
  EXPECT_EQ(model.model->signature().inputs[0].shape, (Shape{-1, 1}));
  EXPECT_EQ(model.model->signature().outputs[0].name, "y");
  EXPECT_EQ(model.model->signature().outputs[0].datatype, DataType::kFp32);
  EXPECT_EQ(model.model->compute_threads(), 1);
  const uint64_t copies = Engine().copies().inputs;
  for (const int64_t rows : {3, 1, 3}) {
    RecordingExecution execution;
    std::vector<float> values(rows, 5);
    values[0] = 1;
    execution.AddInput(0, DataType::kFp32, {rows, 1}, SliceOf(values));
    model.Run(&execution);
    ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
    EXPECT_EQ(execution.output(0).shape, (Shape{rows, 1}));
    EXPECT_EQ(ValuesOf<float>(execution.output(0).data)[0], 2.5);
    EXPECT_EQ(ValuesOf<float>(execution.output(0).data)[rows - 1], rows == 1 ? 2.5 : 4.5);
  }
  EXPECT_EQ(Engine().copies().inputs, copies);
}

TEST(OpenvinoEngineTest, EveryDatatypeGoesThroughUnchanged) {
  for (const auto& [name, datatype] : support::kNumericTypes) {
    SCOPED_TRACE(name);
    support::ExpectIdentity(SavedModel(std::string("identity_") + name), datatype);
  }
}

TEST(OpenvinoEngineTest, OnnxWithSeveralTensors) {
  const Running simple("repository/simple/1/model.onnx");
  ASSERT_TRUE(simple.model);
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt32, {1, 16}, SliceOf(std::vector<int32_t>(16, 5)));
  execution.AddInput(1, DataType::kInt32, {1, 16}, SliceOf(std::vector<int32_t>(16, 3)));
  execution.outputs = {1};
  simple.instance->Execute(execution);
  ASSERT_EQ(execution.responses()[0].outputs.size(), 1u);
  EXPECT_EQ(ValuesOf<int32_t>(execution.output(0).data)[0], 2);
}

TEST(OpenvinoEngineTest, OutputsWhoseShapeDependsOnTheData) {
  const SavedModel nonzero("nonzero");
  for (const std::vector<float>& values : {std::vector<float>{0, 2, 0, 3}, {0, 0, 0, 0}, {1, 1, 1, 1}}) {
    RecordingExecution execution;
    execution.AddInput(0, DataType::kFp32, {4}, SliceOf(values));
    nonzero.Run(&execution);
    ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
    EXPECT_EQ(execution.output(0).shape, (Shape{4 - std::ranges::count(values, 0), 1}));
  }
}

TEST(OpenvinoEngineTest, TensorsOfNoElements) {
  const SavedModel model("half_plus_two");
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {0, 1}, SliceOf(std::vector<float>()));
  model.Run(&execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  EXPECT_EQ(execution.output(0).shape, (Shape{0, 1}));
}

TEST(OpenvinoEngineTest, InstancesComputeBesideEachOther) {
  const SavedModel model("half_plus_two");
  const auto second = *model.model->CreateInstance({});
  std::vector<std::thread> threads;
  for (core::EngineInstance* const instance : {model.instance.get(), second.get()}) {
    threads.emplace_back([instance] {
      for (int call = 0; call < 200; ++call) {
        const auto number = static_cast<float>(call);
        RecordingExecution execution;
        execution.outputs = {0};
        execution.AddInput(0, DataType::kFp32, {1, 1}, SliceOf<float>({number}));
        instance->Execute(execution);
        EXPECT_EQ(ValuesOf<float>(execution.output(0).data)[0], number / 2 + 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(OpenvinoEngineTest, AnInputThatTheModelCannotComputeOnIsTheClientsFault) {
  const SavedModel matmul("matmul");
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {1, 2}, SliceOf<float>({1, 2}));
  execution.AddInput(1, DataType::kFp32, {3, 1}, SliceOf<float>({1, 2, 3}));
  const base::Status status = matmul.Failure(&execution);
  EXPECT_EQ(status.code(), base::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("the model cannot run on these inputs"));
  RecordingExecution right;
  right.AddInput(0, DataType::kFp32, {1, 2}, SliceOf<float>({1, 2}));
  right.AddInput(1, DataType::kFp32, {2, 1}, SliceOf<float>({3, 4}));
  matmul.Run(&right);
  EXPECT_THAT(ValuesOf<float>(right.output(0).data), ElementsAre(11));
}

TEST(OpenvinoEngineTest, WhatItCannotServeIsRefusedByName) {
  EXPECT_THAT(Load("tensorflow/identity_bytes/1/model.savedmodel").error().message(), HasSubstr("'x' is of strings"));
  EXPECT_THAT(Load("tensorflow/strings/1/model.savedmodel").error().message(), HasSubstr("StringUpper"));
  EXPECT_THAT(Load("tensorflow/any_rank/1/model.savedmodel").error().message(), HasSubstr("dynamic rank"));
  EXPECT_THAT(Load("tensorflow/none/1/model.xml").error().message(), HasSubstr("does not exist"));
}

config::ModelConfig WithOutput(const std::string& name) {
  config::ModelConfig config;
  config.outputs.push_back({.name = name, .datatype = DataType::kFp32, .dims = {-1, 1}});
  return config;
}

TEST(OpenvinoEngineTest, OfAGraphTheConfigurationSaysTheOutputs) {
  const char* const file = "tensorflow/frozen/1/model.graphdef";
  for (const char* name : {"y", "y:0"}) {
    const Running model(file, WithOutput(name));
    ASSERT_TRUE(model.model);
    ASSERT_EQ(model.model->signature().inputs.size(), 1u);
    EXPECT_EQ(model.model->signature().inputs[0].name, "x");
    ASSERT_EQ(model.model->signature().outputs.size(), 1u);
    RecordingExecution execution;
    execution.AddInput(0, DataType::kFp32, {2, 1}, SliceOf<float>({1, 2}));
    model.Run(&execution);
    EXPECT_THAT(ValuesOf<float>(execution.output(0).data), ElementsAre(2.5, 3));
  }
  EXPECT_THAT(Load(file, WithOutput("z")).error().message(), HasSubstr("no operator for output 'z'"));
  EXPECT_THAT(Load(file).error().message(), HasSubstr("'text' is of strings"));
}

TEST(OpenvinoEngineTest, FilesThatAreNoModelsAreNamed) {
  const support::TempDir folder;
  for (const char* name : {"m.xml", "m.onnx", "m.tflite", "m.pdmodel", "m.graphdef"}) {
    for (const char* content : {"", "This is no model.\n"}) {
      folder.Write(name, content);
      const auto loaded = support::LoadFile(Engine(), folder.path() / name);
      ASSERT_FALSE(loaded.has_value()) << name;
      EXPECT_EQ(loaded.error().code(), base::StatusCode::kInvalidArgument) << loaded.error().ToString();
      EXPECT_THAT(loaded.error().message(), HasSubstr(name));
    }
  }
}

TEST(OpenvinoEngineTest, AModelIsCompiledForTheShapesOfItsConfiguration) {
  config::ModelConfig config = WithParameters({{"RESHAPE_IO_LAYERS", "YES"}});
  config.inputs.push_back({.name = "x", .datatype = DataType::kFp32, .dims = {4, 1}});
  const Running model("tensorflow/half_plus_two/1/model.savedmodel", config);
  ASSERT_TRUE(model.model);
  EXPECT_EQ(model.model->signature().inputs[0].shape, (Shape{4, 1}));
  EXPECT_EQ(model.model->signature().outputs[0].shape, (Shape{4, 1}));
  for (int call = 0; call < 2; ++call) {
    RecordingExecution execution;
    execution.AddInput(0, DataType::kFp32, {4, 1}, SliceOf<float>({1, 2, 3, 4}));
    model.Run(&execution);
    EXPECT_THAT(ValuesOf<float>(execution.output(0).data), ElementsAre(2.5, 3, 3.5, 4));
  }
  config.inputs = {{.name = "a", .datatype = DataType::kFp32, .dims = {2, 2}},
                   {.name = "b", .datatype = DataType::kFp32, .dims = {3, 2}}};
  EXPECT_THAT(Load("tensorflow/matmul/1/model.savedmodel", config).error().message(),
              HasSubstr("does not take the shapes that the configuration has"));
}

TEST(OpenvinoEngineTest, ParametersSayShapes) {
  const Running fixed("tensorflow/half_plus_two/1/model.savedmodel", WithParameters({{"BATCH_SIZE", "2"}}));
  ASSERT_TRUE(fixed.model);
  EXPECT_EQ(fixed.model->signature().inputs[0].shape, (Shape{2, 1}));
  const Running any("tensorflow/half_plus_two/1/model.savedmodel", WithParameters({{"SHAPE", "(-1,3)"}}));
  ASSERT_TRUE(any.model);
  EXPECT_EQ(any.model->signature().outputs[0].shape, (Shape{-1, 3}));
  EXPECT_THAT(Load("tensorflow/matmul/1/model.savedmodel", WithParameters({{"SHAPE", "(1,2)"}})).error().message(),
              HasSubstr("but this one has 2"));
}

TEST(OpenvinoEngineTest, CompiledModelsAreKeptWhereTheOperatorSays) {
  const support::TempDir folder;
  const config::ModelConfig config = WithParameters({{"operator.CACHE_DIR", folder.path().string()}});
  for (int load = 0; load < 2; ++load) {
    const Running model("tensorflow/half_plus_two/1/model.savedmodel", config);
    ASSERT_TRUE(model.model);
    EXPECT_FALSE(std::filesystem::is_empty(folder.path()));
    RecordingExecution execution;
    execution.AddInput(0, DataType::kFp32, {1, 1}, SliceOf<float>({1}));
    model.Run(&execution);
    EXPECT_THAT(ValuesOf<float>(execution.output(0).data), ElementsAre(2.5));
  }
}

// The library also throws exceptions other than its own.
TEST(OpenvinoEngineTest, ModelsThatAreTooLargeAreRefused) {
  auto loaded = Load("tensorflow/half_plus_two/1/model.savedmodel", WithParameters({{"BATCH_SIZE", "1000000000000"}}));
  if (!loaded.has_value()) return;
  EXPECT_FALSE((*loaded)->CreateInstance({}).has_value());
}

TEST(OpenvinoEngineTest, PropertiesOfTheLibraryThatItRefusesAreAnError) {
  const auto loaded =
      Load("tensorflow/half_plus_two/1/model.savedmodel", WithParameters({{"PERFORMANCE_HINT", "SLEEPINESS"}}));
  ASSERT_FALSE(loaded.has_value());
  EXPECT_THAT(loaded.error().message(), HasSubstr("SLEEPINESS"));
}

}  // namespace
}  // namespace inferd
