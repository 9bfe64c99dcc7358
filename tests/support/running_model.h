#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "serving/enginehost/plugin_engine.h"
#include "tests/support/recording_execution.h"

namespace inferd::support {

// Opens an engine that was built beside the test, for as long as the process lives.
inline enginehost::PluginEngine& OpenEngine(const std::filesystem::path& library,
                                            const enginehost::EngineOptions& options = {}) {
  auto engine = enginehost::PluginEngine::Open(library, options);
  if (!engine) ADD_FAILURE() << engine.error().ToString();
  return *engine->release();
}

// Loads `file`, of the version folder that it is in.
inline base::Result<std::unique_ptr<core::EngineModel>> LoadFile(enginehost::PluginEngine& engine,
                                                                 const std::filesystem::path& file,
                                                                 const config::ModelConfig& config = {},
                                                                 std::vector<base::CpuCores> group_cores = {}) {
  core::LoadSpec spec;
  spec.model_name = "test";
  spec.version = 1;
  spec.version_dir = file.parent_path();
  spec.model_dir = spec.version_dir.parent_path();
  spec.model_file = file;
  spec.config = std::make_shared<config::ModelConfig>(config);
  spec.group_cores = std::move(group_cores);
  return engine.Load(spec);
}

inline config::ModelConfig WithParameters(std::map<std::string, std::string> parameters) {
  config::ModelConfig config;
  config.parameters = std::move(parameters);
  return config;
}

// A loaded model with one instance.
struct RunningModel {
  explicit RunningModel(base::Result<std::unique_ptr<core::EngineModel>> loaded) {
    if (!loaded) {
      ADD_FAILURE() << loaded.error().ToString();
      return;
    }
    model = *std::move(loaded);
    instance = *model->CreateInstance({});
  }

  // Runs with every output wanted.
  void Run(RecordingExecution* execution) const {
    const auto& wanted = model->signature().outputs;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (!wanted[i].alternative) execution->outputs.push_back(static_cast<int>(i));
    }
    instance->Execute(*execution);
    EXPECT_EQ(execution->finished(), 1);
    ASSERT_EQ(execution->responses().size(), 1u);
  }

  base::Status Failure(RecordingExecution* execution) const {
    Run(execution);
    return execution->responses().at(0).status;
  }

  std::unique_ptr<core::EngineModel> model;
  std::unique_ptr<core::EngineInstance> instance;
};

// Every datatype but BYTES, as models of the tests are named after it.
inline constexpr std::pair<const char*, tensor::DataType> kNumericTypes[] = {
    {"bool", tensor::DataType::kBool},     {"uint8", tensor::DataType::kUint8},   {"uint16", tensor::DataType::kUint16},
    {"uint32", tensor::DataType::kUint32}, {"uint64", tensor::DataType::kUint64}, {"int8", tensor::DataType::kInt8},
    {"int16", tensor::DataType::kInt16},   {"int32", tensor::DataType::kInt32},   {"int64", tensor::DataType::kInt64},
    {"fp16", tensor::DataType::kFp16},     {"bf16", tensor::DataType::kBf16},     {"fp32", tensor::DataType::kFp32},
    {"fp64", tensor::DataType::kFp64}};

// A model that repeats its input of shape [-1, -1] gives every bit of it back, and after the request's memory is gone.
inline void ExpectIdentity(const RunningModel& identity, tensor::DataType datatype) {
  ASSERT_TRUE(identity.model);
  ASSERT_EQ(identity.model->signature().inputs[0].datatype, datatype);
  std::vector<uint8_t> bytes(3 * tensor::ElementSize(datatype));
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = datatype == tensor::DataType::kBool ? i % 2 : 251 * i;
  core::InferTensor kept;
  {
    RecordingExecution execution;
    execution.AddInput(0, datatype, {1, 3}, SliceOf(bytes));
    identity.Run(&execution);
    ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
    kept = execution.output(0);
    EXPECT_NE(kept.data.data(), execution.inputs[0].pieces[0].data());
  }
  EXPECT_EQ(ValuesOf<uint8_t>(kept.data), bytes);
  EXPECT_EQ(kept.shape, (tensor::Shape{1, 3}));

  RecordingExecution empty;
  empty.AddInput(0, datatype, {2, 0}, {});
  identity.Run(&empty);
  ASSERT_TRUE(empty.responses()[0].status.ok()) << empty.responses()[0].status.ToString();
  EXPECT_EQ(empty.output(0).shape, (tensor::Shape{2, 0}));
}

// A model that repeats its BYTES input of shape [-1, -1] gives every byte back, zeros too.
inline void ExpectStringsKept(const RunningModel& identity) {
  ASSERT_TRUE(identity.model);
  for (const std::vector<std::string>& elements :
       {std::vector<std::string>{std::string("a\0b", 3), "", std::string(1000, 'x'), "\xff"},
        std::vector<std::string>{"", "", "", ""}}) {
    RecordingExecution execution;
    execution.AddInput(0, tensor::DataType::kBytes, {2, 2}, Packed(elements));
    identity.Run(&execution);
    ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
    EXPECT_EQ(execution.output(0).data.view(), Packed(elements).view());
  }
  RecordingExecution none;
  none.AddInput(0, tensor::DataType::kBytes, {0, 2}, {});
  identity.Run(&none);
  ASSERT_TRUE(none.responses()[0].status.ok()) << none.responses()[0].status.ToString();
  EXPECT_TRUE(none.output(0).data.empty());
}

// Four instances of a model with an input FP32 [-1, 784], each on a thread of its own.
inline void ExpectInstancesSideBySide(core::EngineModel& model) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const auto instance = model.CreateInstance({.ordinal = t});
      for (int call = 0; call < 50; ++call) {
        RecordingExecution execution;
        execution.AddInput(0, tensor::DataType::kFp32, {2, 784}, SliceOf(std::vector<float>(2 * 784, 0.1F * t)));
        execution.outputs = {0};
        (*instance)->Execute(execution);
        good += execution.responses()[0].status.ok() ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 200);
}

}  // namespace inferd::support
