#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "tests/support/running_model.h"

namespace inferd {
namespace {

using inferd::support::Packed;
using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using inferd::support::ValuesOf;
using tensor::DataType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path kModels = INFERD_TEST_MODELS;

enginehost::PluginEngine& Engine() {
  static auto& engine = support::OpenEngine(std::filesystem::path(INFERD_ENGINES_DIR) / "onnxruntime.so");
  return engine;
}

base::Result<std::unique_ptr<core::EngineModel>> Load(const std::string& model,
                                                      const config::ModelConfig& config = {}) {
  return support::LoadFile(Engine(), kModels / model / "1" / "model.onnx", config);
}

struct Running : support::RunningModel {
  explicit Running(const std::string& name, const config::ModelConfig& config = {})
      : RunningModel(Load(name, config)) {}
};

TEST(OnnxRuntimeEngineTest, SaysItsVersion) {
  EXPECT_EQ(Engine().name(), "onnxruntime");
  EXPECT_EQ(Engine().default_model_filename(), "model.onnx");
  EXPECT_THAT(std::string(Engine().version()), ::testing::StartsWith("1."));
}

TEST(OnnxRuntimeEngineTest, AddsAndSubtractsABatch) {
  const Running simple("simple");
  ASSERT_TRUE(simple.model);
  EXPECT_EQ(simple.model->signature().inputs[1].name, "INPUT1");
  EXPECT_EQ(simple.model->signature().inputs[0].shape, (tensor::Shape{-1, 16}));
  EXPECT_EQ(simple.model->signature().inputs[0].dimension_names, (std::vector<std::string>{"batch", ""}));
  EXPECT_EQ(simple.model->signature().outputs[1].dimension_names, (std::vector<std::string>{"batch", ""}));
  EXPECT_EQ(simple.model->signature().outputs[0].datatype, DataType::kInt32);
  std::vector<int32_t> a(32);
  std::vector<int32_t> b(32, 1);
  for (int i = 0; i < 32; ++i) a[i] = i;
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt32, {2, 16}, SliceOf(a));
  execution.AddInput(1, DataType::kInt32, {2, 16}, SliceOf(b));
  const uint64_t copies = Engine().copies().inputs + Engine().copies().outputs;
  simple.Run(&execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  EXPECT_EQ(execution.output(0).shape, (tensor::Shape{2, 16}));
  EXPECT_EQ(ValuesOf<int32_t>(execution.output(0).data)[31], 32);
  EXPECT_EQ(ValuesOf<int32_t>(execution.output(1).data)[31], 30);
  EXPECT_EQ(Engine().copies().inputs + Engine().copies().outputs, copies);
}

TEST(OnnxRuntimeEngineTest, RequestsThatShareABatchAreSplitByRows) {
  const Running simple("simple");
  RecordingExecution execution(2);
  for (const int input : {0, 1}) {
    execution.AddInput(input, DataType::kInt32, {2, 16}, SliceOf(std::vector<int32_t>(16, 1)));
    execution.inputs.back().pieces.push_back(SliceOf(std::vector<int32_t>(16, 2)));
  }
  simple.Run(&execution);
  ASSERT_TRUE(execution.responses(1)[0].whole_batch);
  const auto sums = ValuesOf<int32_t>(execution.output(0).data);
  EXPECT_EQ(sums[0], 2);
  EXPECT_EQ(sums[31], 4);
}

TEST(OnnxRuntimeEngineTest, OnlyWantedOutputsAreComputed) {
  const Running simple("simple");
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt32, {1, 16}, SliceOf(std::vector<int32_t>(16, 5)));
  execution.AddInput(1, DataType::kInt32, {1, 16}, SliceOf(std::vector<int32_t>(16, 3)));
  execution.outputs = {1};
  simple.instance->Execute(execution);
  ASSERT_EQ(execution.responses()[0].outputs.size(), 1u);
  EXPECT_EQ(ValuesOf<int32_t>(execution.output(0).data)[0], 2);
}

TEST(OnnxRuntimeEngineTest, EveryDatatypeGoesThroughUnchanged) {
  for (const auto& [name, datatype] : support::kNumericTypes) {
    SCOPED_TRACE(name);
    support::ExpectIdentity(Running(std::string("identity_") + name), datatype);
  }
}

TEST(OnnxRuntimeEngineTest, StringsKeepZeroBytes) { support::ExpectStringsKept(Running("identity_bytes")); }

TEST(OnnxRuntimeEngineTest, OutputsWhoseShapeDependsOnTheData) {
  const Running nonzero("nonzero");
  core::InferTensor kept;
  {
    RecordingExecution execution;
    execution.AddInput(0, DataType::kFp32, {4}, SliceOf<float>({0, 2, 0, 3}));
    const uint64_t copies = Engine().copies().outputs;
    nonzero.Run(&execution);
    kept = execution.output(0);
    EXPECT_EQ(Engine().copies().outputs, copies);
  }
  EXPECT_EQ(kept.shape, (tensor::Shape{1, 2}));
  EXPECT_THAT(ValuesOf<int64_t>(kept.data), ElementsAre(1, 3));
}

// An arena returns nothing before its next run: unread responses must be elsewhere.
TEST(OnnxRuntimeEngineTest, AnswersThatWaitHaveLittleOfTheSessionsMemory) {
  class Counting final : public RecordingExecution {
   public:
    base::Buffer AllocateOutput(int output, size_t bytes, base::MemoryPlace place) override {
      ++allocated;
      return RecordingExecution::AllocateOutput(output, bytes, place);
    }
    int allocated = 0;
  };
  const Running nonzero("nonzero");
  const std::vector<float> ones(5'000'000, 1.0F);  // the response has 40 MB
  std::vector<core::InferTensor> waiting;
  const auto allocates = [&] {
    Counting execution;
    execution.AddInput(0, DataType::kFp32, {5'000'000}, SliceOf(ones));
    nonzero.Run(&execution);
    waiting.push_back(execution.output(0));
    EXPECT_EQ(ValuesOf<int64_t>(waiting.back().data).back(), 4'999'999);
    return execution.allocated;
  };
  EXPECT_EQ(allocates(), 0);
  EXPECT_EQ(allocates(), 1) << "as the first is not read yet";
  waiting.clear();
  EXPECT_EQ(allocates(), 0);
}

TEST(OnnxRuntimeEngineTest, FalseOutputShapesDoNotStopAModel) {
  const Running model("false_shape");
  for (int call = 0; call < 2; ++call) {
    RecordingExecution execution;
    execution.AddInput(0, DataType::kFp32, {2}, SliceOf<float>({1, 2}));
    model.Run(&execution);
    ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
    EXPECT_THAT(ValuesOf<float>(execution.output(0).data), ElementsAre(1, 2, 1, 2));
  }
}

TEST(OnnxRuntimeEngineTest, OutputsOfAnyRank) {
  const Running model("any_shape");
  ASSERT_TRUE(model.model);
  EXPECT_EQ(model.model->signature().outputs[0].shape.rank(), 0u);
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {4}, SliceOf<float>({1, 2, 3, 4}));
  execution.AddInput(1, DataType::kInt64, {3}, SliceOf<int64_t>({1, 2, 2}));
  model.Run(&execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  EXPECT_EQ(execution.output(0).shape, (tensor::Shape{1, 2, 2}));
}

TEST(OnnxRuntimeEngineTest, Scalars) {
  const Running scalar("scalar");
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {}, SliceOf<float>({41}));
  scalar.Run(&execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  EXPECT_EQ(execution.output(0).shape.rank(), 0u);
  EXPECT_THAT(ValuesOf<float>(execution.output(0).data), ElementsAre(42));
}

TEST(OnnxRuntimeEngineTest, OptionalInputsHaveADefault) {
  const Running model("optional_input");
  ASSERT_EQ(model.model->signature().inputs.size(), 2u);
  EXPECT_FALSE(model.model->signature().inputs[0].optional);
  EXPECT_TRUE(model.model->signature().inputs[1].optional);
  RecordingExecution without;
  without.AddInput(0, DataType::kFp32, {1}, SliceOf<float>({3}));
  model.Run(&without);
  EXPECT_THAT(ValuesOf<float>(without.output(0).data), ElementsAre(6));
  RecordingExecution with;
  with.AddInput(0, DataType::kFp32, {1}, SliceOf<float>({3}));
  with.AddInput(1, DataType::kFp32, {1}, SliceOf<float>({5}));
  model.Run(&with);
  EXPECT_THAT(ValuesOf<float>(with.output(0).data), ElementsAre(15));
}

TEST(OnnxRuntimeEngineTest, WeightsInAFileOfTheirOwn) {
  const Running model("external_data");
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {1, 512}, SliceOf(std::vector<float>(512, 0.5F)));
  model.Run(&execution);
  EXPECT_EQ(ValuesOf<float>(execution.output(0).data)[511], 511.5F);
}

TEST(OnnxRuntimeEngineTest, OperatorsFromALibrary) {
  EXPECT_FALSE(Load("custom_operator"));
  config::ModelConfig config;
  config.op_library_filenames = {INFERD_CUSTOM_OPERATOR};
  config.parameters["operator.libraries"] = "/";
  const Running model("custom_operator", config);
  ASSERT_TRUE(model.model);
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {2}, SliceOf<float>({1, -3}));
  model.Run(&execution);
  EXPECT_THAT(ValuesOf<float>(execution.output(0).data), ElementsAre(2, -6));
}

TEST(OnnxRuntimeEngineTest, WhatCannotBeLoadedSaysWhy) {
  const auto sequence = Load("sequence_output");
  ASSERT_FALSE(sequence);
  EXPECT_EQ(sequence.error().code(), base::StatusCode::kInvalidArgument);
  EXPECT_THAT(sequence.error().message(),
              HasSubstr("output 'all' is a sequence of tensors, and only dense tensors can be served"));

  const auto missing = Load("no_such_model");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), base::StatusCode::kNotFound);

  const auto garbage_file = std::filesystem::path(::testing::TempDir()) / "garbage.onnx";
  std::ofstream(garbage_file) << "this is no protobuf";
  const auto garbage = support::LoadFile(Engine(), garbage_file);
  ASSERT_FALSE(garbage);
  EXPECT_EQ(garbage.error().code(), base::StatusCode::kInvalidArgument);

  config::ModelConfig config;
  config.parameters["intra_op_thread_count"] = "many";
  const auto wrong = Load("simple", config);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message(), "parameter 'intra_op_thread_count': expected a number from 0 to 1024, got 'many'");

  config.parameters.clear();
  config.op_library_filenames = {"none.so"};
  config.parameters["operator.libraries"] = "/";
  const auto no_library = Load("simple", config);
  ASSERT_FALSE(no_library);
  EXPECT_THAT(no_library.error().message(), HasSubstr("custom operator library '"));
}

TEST(OnnxRuntimeEngineTest, OnlyTheOperatorNamesFilesForTheLibrary) {
  const auto written = std::filesystem::path(::testing::TempDir()) / "written";
  std::filesystem::remove(written);
  for (const char* key : {"session.collect_node_memory_stats_to_file", "session.optimized_model_filepath",
                          "ep.context_file_path", "session.enable_profiling", "session.node_partition_config_file"}) {
    config::ModelConfig config;
    config.parameters = {{key, written}};
    const auto refused = Load("simple", config);
    ASSERT_FALSE(refused) << key;
    EXPECT_EQ(refused.error().code(), base::StatusCode::kPermissionDenied);
    EXPECT_THAT(refused.error().message(), HasSubstr("--engine-parameter onnxruntime:operator." + std::string(key)));
  }
  EXPECT_FALSE(std::filesystem::exists(written));
  config::ModelConfig config;
  config.parameters = {{"operator.session.collect_node_memory_stats_to_file", written}};
  EXPECT_TRUE(Load("simple", config));
}

TEST(OnnxRuntimeEngineTest, ConfigurationReachesTheSession) {
  config::ModelConfig config;
  config.graph_optimization_level = -1;
  config.parameters = {{"intra_op_thread_count", "2"},
                       {"execution_mode", "1"},
                       {"enable_mem_arena", "1"},
                       {"memory.enable_memory_arena_shrinkage", "cpu:0"},
                       {"session.set_denormal_as_zero", "1"},
                       {"gpu_mem_limit", "1000"},
                       {"a_word_of_the_users", "x"}};
  const Running mlp("mlp", config);
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {1, 784}, SliceOf(std::vector<float>(784, 0.25F)));
  mlp.Run(&execution);
  float sum = 0;
  for (const float p : ValuesOf<float>(execution.output(0).data)) sum += p;
  EXPECT_NEAR(sum, 1, 1e-5);
}

std::set<std::string> Threads() {
  std::set<std::string> threads;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) threads.insert(task.path());
  return threads;
}

// Reads the kernel's list.
std::string CoresOf(const std::string& thread) {
  std::ifstream file(thread + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Cpus_allowed_list:")) return line.substr(line.find('\t') + 1);
  }
  return "";
}

TEST(OnnxRuntimeEngineTest, ThreadsOfAModelKeepToItsCores) {
  const Running warm("simple");  // makes the process allocate everything in advance
  const std::set<std::string> before = Threads();
  const base::CpuCores all = base::ThreadCpuCores();
  config::ModelConfig config;
  config.parameters = {{"intra_op_thread_count", "3"}};
  const auto model = support::LoadFile(Engine(), kModels / "mlp" / "1" / "model.onnx", config, {{all.back()}});
  ASSERT_TRUE(model.has_value()) << model.error().ToString();
  EXPECT_EQ(base::ThreadCpuCores(), all);
  std::vector<std::string> its_own;
  std::ranges::set_difference(Threads(), before, std::back_inserter(its_own));
  EXPECT_EQ(its_own.size(), 2u) << "and the caller's";
  for (const std::string& thread : its_own) EXPECT_EQ(CoresOf(thread), std::to_string(all.back()));
}

TEST(OnnxRuntimeEngineTest, InputsThatTheModelCannotTakeAreTheClientsFault) {
  const Running model("simple");
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt32, {1, 16}, SliceOf(std::vector<int32_t>(16)));
  execution.AddInput(1, DataType::kInt32, {3, 16}, SliceOf(std::vector<int32_t>(48)));
  EXPECT_EQ(model.Failure(&execution).code(), base::StatusCode::kOk);  // ONNX broadcasts
  RecordingExecution wrong;
  wrong.AddInput(0, DataType::kInt32, {2, 16}, SliceOf(std::vector<int32_t>(32)));
  wrong.AddInput(1, DataType::kInt32, {3, 16}, SliceOf(std::vector<int32_t>(48)));
  const base::Status status = model.Failure(&wrong);
  EXPECT_EQ(status.code(), base::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("cannot run on these inputs"));
}

TEST(OnnxRuntimeEngineTest, CancelEndsARunAndLeavesTheInstanceUsable) {
  const Running endless("endless");
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt64, {}, SliceOf<int64_t>({int64_t{1} << 40}));
  execution.outputs = {0};
  std::thread runner([&] { endless.instance->Execute(execution); });
  execution.cancelled = true;
  runner.join();
  EXPECT_EQ(execution.responses().at(0).status.code(), base::StatusCode::kCancelled);
  RecordingExecution next;
  next.AddInput(0, DataType::kInt64, {}, SliceOf<int64_t>({2}));
  EXPECT_TRUE(endless.Failure(&next).ok());
}

TEST(OnnxRuntimeEngineTest, InstancesRunSideBySide) {
  const auto model = Load("mlp");
  ASSERT_TRUE(model);
  support::ExpectInstancesSideBySide(**model);
}

}  // namespace
}  // namespace inferd
