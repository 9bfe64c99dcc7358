#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "tests/support/temp_dir.h"
#include "tests/support/torch_engine.h"

// AOTInductor packages from tests/models/make_torch_packages.py.

namespace inferd::torchscript {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

base::Result<std::unique_ptr<core::EngineModel>> LoadPackage(const std::filesystem::path& file,
                                                             config::ModelConfig config) {
  config.parameters["operator.libraries"] = file.parent_path().string();
  return support::LoadFile(Engine(), file, config);
}

std::filesystem::path PackageOf(const std::string& name) { return kModels / name / "model.pt2"; }

std::string PackageError(const std::filesystem::path& file, const config::ModelConfig& config) {
  const auto loaded = LoadPackage(file, config);
  return loaded.has_value() ? "it was loaded" : loaded.error().message();
}

struct RunningPackage : support::RunningModel {
  RunningPackage(const std::string& name, const config::ModelConfig& config)
      : RunningModel(LoadPackage(PackageOf(name), config)) {}
};

const config::ModelConfig kPairs = Config({{"x", DataType::kFp32, {-1, 2}}});
const config::ModelConfig kKeyed = Config({{"INPUT__0", DataType::kFp32, {2, 3}}, {"scale", DataType::kFp32, {2, 3}}});

// Expects relu(x * weight + bias) with the maker's weights, and the sum, for rows (first, 2), (first + 1, 2) ...
void ExpectPairs(const support::RunningModel& model, int64_t rows, float first) {
  RecordingExecution execution;
  std::vector<float> values;
  for (int64_t i = 0; i < rows; ++i) values.insert(values.end(), {first + static_cast<float>(i), 2.0F});
  execution.AddInput(0, DataType::kFp32, {rows, 2}, SliceOf(values));
  model.Run(&execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  EXPECT_EQ(execution.output(0).shape, (Shape{rows, 3}));
  EXPECT_EQ(execution.output(1).shape, (Shape{rows}));
  for (int64_t i = 0; i < rows; ++i) {
    const float x = first + static_cast<float>(i);
    EXPECT_EQ(Output(execution, 0)[i * 3], x + 0.5F);
    EXPECT_EQ(Output(execution, 0)[i * 3 + 1], 2.25F);
    EXPECT_EQ(Output(execution, 0)[i * 3 + 2], std::max(x - 2, 0.0F));
    EXPECT_EQ(Output(execution, 1)[i], x + 2);
  }
}

TEST(TorchPackageTest, RunsOnAnyNumberOfRows) {
  const RunningPackage model("compiled", kPairs);
  ASSERT_TRUE(model.model);
  const auto& outputs = model.model->signature().outputs;
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].name, "OUTPUT__0");
  EXPECT_EQ(outputs[0].shape, (Shape{-1, 3}));
  EXPECT_EQ(outputs[1].shape, (Shape{-1}));
  for (const int64_t rows : {1, 2, 5, 1}) ExpectPairs(model, rows, 1);
}

TEST(TorchPackageTest, InstancesShareItAndRunBesideEachOther) {
  RunningPackage model("compiled", kPairs);
  ASSERT_TRUE(model.model);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&model, t] {
      const auto instance = *model.model->CreateInstance({});
      for (int i = 0; i < 200; ++i) {
        RecordingExecution execution;
        execution.outputs = {1};
        execution.AddInput(0, DataType::kFp32, {1, 2}, SliceOf<float>({static_cast<float>(t), 2}));
        instance->Execute(execution);
        ASSERT_EQ(Output(execution)[0], static_cast<float>(t) + 2);
      }
    });
  }
}

TEST(TorchPackageTest, KeywordsAndDictsHaveNames) {
  RecordingExecution execution;
  {
    const RunningPackage model("compiled_keyed", kKeyed);
    ASSERT_TRUE(model.model);
    ASSERT_EQ(model.model->signature().outputs.size(), 2u);
    EXPECT_EQ(model.model->signature().outputs[0].name, "scaled");
    EXPECT_EQ(model.model->signature().outputs[1].name, "constant");
    execution.AddInput(0, DataType::kFp32, {2, 3}, SliceOf<float>({1, 2, 3, 4, 5, 6}));
    execution.AddInput(1, DataType::kFp32, {2, 3}, SliceOf<float>({2, 2, 2, 10, 10, 10}));
    model.Run(&execution);
    ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  }
  // The constant was the package's memory, which is gone.
  EXPECT_THAT(Output(execution, 0), ElementsAre(2, 4, 6, 40, 50, 60));
  EXPECT_THAT(Output(execution, 1), ElementsAre(7, 8));
}

TEST(TorchPackageTest, ARequestsMemoryIsNotWrittenTo) {
  const RunningPackage model("compiled_writes", kPairs);
  RecordingExecution execution;
  const base::BufferSlice given = SliceOf<float>({1, 2, 3, 4});
  execution.AddInput(0, DataType::kFp32, {2, 2}, given);
  model.Run(&execution);
  EXPECT_THAT(Output(execution), ElementsAre(3, 5, 7, 9));
  EXPECT_THAT(ValuesOf<float>(given), ElementsAre(1, 2, 3, 4));
}

TEST(TorchPackageTest, ShapesThatItWasNotCompiledForAreErrors) {
  const RunningPackage model("compiled_writes", Config({{"x"}}, {{"y"}}));
  ASSERT_TRUE(model.model);
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {2, 3}, SliceOf<float>({1, 2, 3, 4, 5, 6}));
  const base::Status status = model.Failure(&execution);
  EXPECT_EQ(status.code(), base::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("expected: 2, but got: 3"));
}

TEST(TorchPackageTest, IsCodeThatHasToBeAllowed) {
  const auto loaded = support::LoadFile(Engine(), PackageOf("compiled"), kPairs);
  ASSERT_FALSE(loaded.has_value());
  EXPECT_THAT(loaded.error().message(), HasSubstr("without --allow-op-library"));
}

TEST(TorchPackageTest, WhatIsNoPackageIsNamed) {
  const support::TempDir folder;
  const std::filesystem::path file = folder.path() / "model.pt2";
  folder.Write("model.pt2", "PK");
  EXPECT_THAT(PackageError(file, kPairs), HasSubstr("model.pt2"));
  std::filesystem::copy_file(kModels / "half_plus_two" / "model.pt", file,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(PackageError(file, kPairs), HasSubstr("aoti_compile_and_package() compiles it"));
}

TEST(TorchPackageTest, AConfigurationHasToSayTheInputs) {
  EXPECT_THAT(PackageError(PackageOf("compiled_keyed"), {}), HasSubstr("(INPUT__0: Tensor, scale: Tensor)"));
  EXPECT_THAT(PackageError(PackageOf("compiled_keyed"), Config({{"scale"}})), HasSubstr("INPUT__0"));
  EXPECT_THAT(PackageError(PackageOf("compiled"), Config({{"x", DataType::kBytes}})), HasSubstr("'x'"));
}

}  // namespace
}  // namespace inferd::torchscript
