#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/running_model.h"

// What tests of the torch engine share: it, configurations, and rows of numbers that go through a model.

namespace inferd::torchscript {

using support::RecordingExecution;
using support::SliceOf;
using support::ValuesOf;
using tensor::DataType;
using tensor::Shape;

inline const std::filesystem::path kModels = std::filesystem::path(INFERD_TEST_MODELS) / "torch";

inline enginehost::PluginEngine& Engine() {
  static auto& engine = support::OpenEngine(std::filesystem::path(INFERD_ENGINES_DIR) / "torch.so");
  return engine;
}

inline base::Result<std::unique_ptr<core::EngineModel>> Load(const std::string& name,
                                                             const config::ModelConfig& config = {}) {
  return support::LoadFile(Engine(), kModels / name / "model.pt", config);
}

struct Running : support::RunningModel {
  explicit Running(const std::string& name, const config::ModelConfig& config = {})
      : RunningModel(Load(name, config)) {}
};

struct Tensor {
  std::string name;
  DataType datatype = DataType::kFp32;
  Shape dims = {-1, -1};
};

inline config::ModelConfig Config(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs = {},
                                  std::map<std::string, std::string> parameters = {}) {
  config::ModelConfig config = support::WithParameters(std::move(parameters));
  for (const Tensor& tensor : inputs) {
    config.inputs.push_back({.name = tensor.name, .datatype = tensor.datatype, .dims = tensor.dims});
  }
  for (const Tensor& tensor : outputs) {
    config.outputs.push_back({.name = tensor.name, .datatype = tensor.datatype, .dims = tensor.dims});
  }
  return config;
}

inline const config::ModelConfig kRows = Config({{"x"}}, {{"y"}});

// The answers to FP32 inputs of one row each.
inline void RunRows(const support::RunningModel& model, const std::vector<std::vector<float>>& rows,
                    RecordingExecution* execution) {
  ASSERT_TRUE(model.model);
  for (size_t i = 0; i < rows.size(); ++i) {
    execution->AddInput(static_cast<int>(i), DataType::kFp32, {1, static_cast<int64_t>(rows[i].size())},
                        SliceOf(rows[i]));
  }
  model.Run(execution);
  ASSERT_TRUE(execution->responses()[0].status.ok()) << execution->responses()[0].status.ToString();
}

inline std::vector<float> Output(const RecordingExecution& execution, size_t i = 0) {
  return ValuesOf<float>(execution.output(i).data);
}

}  // namespace inferd::torchscript
