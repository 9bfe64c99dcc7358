#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/device_memory.h"
#include "config/model/model_config_parser.h"
#include "serving/enginehost/plugin_engine.h"
#include "tests/support/recording_execution.h"

namespace inferd::enginehost {

// The fake engine, and an instance of it on a GPU.
class DevicesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = PluginEngine::Open(std::filesystem::path(INFERD_ENGINES_DIR) / "fake.so", {.pinned = pinned_});
    ASSERT_TRUE(opened) << opened.error().ToString();
    engine_ = *std::move(opened);
  }

  // Starts an instance on GPU 1 of a model that copies its input to its output.
  void Start(std::map<std::string, std::string> parameters) {
    auto config = std::make_shared<config::ModelConfig>(config::ParseModelConfig(text_, "config.pbtxt").value());
    config->name = "m";
    config->inputs.push_back({.name = "IN", .datatype = tensor::DataType::kInt32, .dims = {-1}});
    config->outputs.push_back({.name = "OUT", .datatype = tensor::DataType::kInt32, .dims = {-1}});
    config->instance_groups.push_back({.name = "g", .kind = config::InstanceKind::kGpu, .count = 1, .gpus = {gpu_}});
    config->parameters = std::move(parameters);
    core::LoadSpec spec;
    spec.model_name = "m";
    spec.model_dir = ::testing::TempDir();
    spec.config = config;
    auto model = engine_->Load(spec);
    ASSERT_TRUE(model) << model.error().ToString();
    model_ = *std::move(model);
    auto instance = model_->CreateInstance({.kind = config::InstanceKind::kGpu, .device = gpu_});
    ASSERT_TRUE(instance) << instance.error().ToString();
    instance_ = *std::move(instance);
  }

  void Run(support::RecordingExecution& execution, std::vector<base::BufferSlice> pieces, int64_t elements) {
    execution.AddInput(0, tensor::DataType::kInt32, {elements}, pieces[0]);
    for (size_t i = 1; i < pieces.size(); ++i) execution.inputs[0].pieces.push_back(pieces[i]);
    execution.outputs = {0};
    instance_->Execute(execution);
    execution.WaitUntilFinished();
    ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  }

  // Returns memory on GPU 1 that contains these numbers.
  base::BufferSlice OnGpu(const std::vector<int32_t>& numbers) {
    const base::MemoryPlace place{
        .kind = base::MemoryKind::kGpu, .runtime = runtime(), .device = static_cast<uint16_t>(gpu_)};
    base::Buffer memory = *base::FindDeviceMemory(place.runtime)->Allocate(place, numbers.size() * 4);
    EXPECT_TRUE(base::CopyBytes(support::SliceOf(numbers).data(), {}, memory.data(), place, memory.size()).ok());
    return base::BufferSlice(memory);
  }
  // Returns the runtime of the engine. It is the last engine that was opened.
  static uint8_t runtime() {
    uint8_t last = 1;
    while (last < 255 && base::FindDeviceMemory(last + 1) != nullptr) ++last;
    return last;
  }

  const int32_t gpu_ = 1;
  const std::shared_ptr<PinnedUse> use_ = std::make_shared<PinnedUse>();
  const std::shared_ptr<PinnedPool> pinned_ = std::make_shared<PinnedPool>(size_t{1} << 20, use_);
  std::string text_;  // further lines of the configuration
  std::unique_ptr<PluginEngine> engine_;
  std::unique_ptr<core::EngineModel> model_;
  std::unique_ptr<core::EngineInstance> instance_;
};

}  // namespace inferd::enginehost
