// Tests engines with devices: where inputs are placed, and how outputs come back. The memory of the fake engine's
// devices ends this process when it is touched.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/device_memory.h"
#include "protocols/clientshm/shared_object_fixture.h"
#include "serving/enginehost/devices_fixture.h"
#include "tests/support/recording_execution.h"

namespace inferd::enginehost {
namespace {

using inferd::support::RecordingExecution;
using inferd::support::SharedObject;
using inferd::support::SliceOf;
using inferd::support::ValuesOf;
using tensor::DataType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Set before the engine is opened: it opens handles only then.
[[maybe_unused]] const int kFakeGpus = setenv("FAKE_ENGINE_GPUS", "2", 1);

using PluginEngineDevicesTest = DevicesTest;

// An execution that wants its output on a device.
class DeviceExecution final : public RecordingExecution {
 public:
  explicit DeviceExecution(base::Buffer memory) : memory_(std::move(memory)) {}
  base::Buffer AllocateOutput(int, size_t bytes, base::MemoryPlace wish) override {
    return wish == memory_.place() && bytes <= memory_.size() ? memory_ : base::Buffer::Allocate(bytes);
  }
  bool TakesOnDevice(int) const override { return true; }

 private:
  base::Buffer memory_;
};

// An execution that accepts its output on any device.
class TakingExecution final : public RecordingExecution {
 public:
  bool TakesOnDevice(int) const override { return true; }
};

TEST_F(PluginEngineDevicesTest, InputsAreCopiedToTheInstancesGpuAndOutputsBack) {
  for (const char* input : {"host", "device", "engine_device"}) {
    for (const char* output : {"host", "device", "host_device"}) {
      for (const char* pending : {"false", "true"}) {
        SCOPED_TRACE(std::string(input) + " " + output + " " + pending);
        Start({{"input_memory", input}, {"output_memory", output}, {"complete_on_thread", pending}});
        RecordingExecution execution;
        Run(execution, {SliceOf<int32_t>({1, 2, 3})}, 3);
        EXPECT_TRUE(execution.output(0).data.place().readable());
        EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(1, 2, 3));
      }
    }
  }
}

TEST_F(PluginEngineDevicesTest, PinnedMemoryIsTakenForTheFirstInstanceOnAGpu) {
  Start({});
  EXPECT_EQ(pinned_->bytes(), size_t{1} << 20);
  const auto other = std::make_shared<PinnedPool>(4096);
  auto engine = PluginEngine::Open(std::filesystem::path(INFERD_ENGINES_DIR) / "fake.so", {.pinned = other});
  ASSERT_TRUE(engine);
  core::LoadSpec spec;
  spec.model_name = "m";
  spec.model_dir = ::testing::TempDir();
  spec.config = std::make_shared<const config::ModelConfig>();
  const auto model = (*engine)->Load(spec);
  ASSERT_TRUE(model) << model.error().ToString();
  ASSERT_TRUE((*model)->CreateInstance({}));
  EXPECT_EQ(other->bytes(), 0u) << "it is on the CPU";
  ASSERT_TRUE((*model)->CreateInstance({.kind = config::InstanceKind::kGpu, .device = 0}));
  EXPECT_EQ(other->bytes(), 4096u);
}

TEST_F(PluginEngineDevicesTest, WhereTheConfigurationForbidsPinnedMemoryThereIsNone) {
  for (const char* output : {"device", "host_device"}) {
    text_ = "optimization { input_pinned_memory { enable: false } output_pinned_memory { enable: false } }";
    Start({{"input_memory", "device"}, {"output_memory", output}});
    RecordingExecution execution;
    Run(execution, {SliceOf<int32_t>({1, 2, 3})}, 3);
    EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(1, 2, 3));
    EXPECT_EQ(pinned_->bytes(), 0u);
    EXPECT_EQ(use_->blocks + use_->refusals, 0u);
  }
}

TEST_F(PluginEngineDevicesTest, InputsAndOutputsGoThroughPinnedMemoryAndDoNotStayThere) {
  struct Case {
    const char* configuration;
    uint64_t blocks;
  };
  for (const char* output : {"device", "host_device"}) {
    for (const Case& each : {Case{"", 2}, Case{"optimization { input_pinned_memory { enable: false } }", 1},
                             Case{"optimization { output_pinned_memory { enable: false } }", 1}}) {
      SCOPED_TRACE(std::string(output) + " " + each.configuration);
      text_ = each.configuration;
      Start({{"input_memory", "device"}, {"output_memory", output}});
      const uint64_t before = use_->blocks;
      RecordingExecution execution;
      Run(execution, {SliceOf<int32_t>({1, 2, 3})}, 3);
      EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(1, 2, 3));
      EXPECT_EQ(use_->blocks - before, each.blocks);
      EXPECT_EQ(execution.output(0).data.place().kind, base::MemoryKind::kCpu);
      EXPECT_EQ(pinned_->used(), 0u) << "its answer is there, and holds none of it";
    }
  }
  EXPECT_EQ(use_->refusals, 0u);
}

TEST_F(PluginEngineDevicesTest, WhatIsToBePinnedIsSoThoughThePoolHasNoRoom) {
  Start({});
  const base::MemoryPlace place{.kind = base::MemoryKind::kCpuPinned, .runtime = runtime()};
  const auto inside = base::FindDeviceMemory(runtime())->Allocate(place, 1000);
  ASSERT_TRUE(inside.has_value());
  EXPECT_EQ(pinned_->used(), 1280u);
  const auto outside = base::FindDeviceMemory(runtime())->Allocate(place, size_t{1} << 20);
  ASSERT_TRUE(outside.has_value()) << outside.error().ToString();
  EXPECT_EQ(outside->place(), place);
  EXPECT_EQ(pinned_->used(), 1280u);
  EXPECT_EQ(use_->refusals, 1u);
  const auto none = base::FindDeviceMemory(runtime())->Allocate(place, SIZE_MAX);
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().message(), HasSubstr("engine 'fake' has no room for 18446744073709551615 bytes of pinned"));
}

TEST_F(PluginEngineDevicesTest, InputsThatPinnedMemoryHasNoRoomForComeAllTheSame) {
  Start({{"input_memory", "device"}});
  const base::Buffer most = pinned_->Take((size_t{1} << 20) - 1000);
  for (const size_t count : {10u, 1000u, 1u << 20}) {
    std::vector<int32_t> numbers(count, 7);
    RecordingExecution execution;
    Run(execution, {SliceOf(numbers)}, static_cast<int64_t>(count));
    EXPECT_EQ(ValuesOf<int32_t>(execution.output(0).data), numbers);
  }
  EXPECT_EQ(use_->refusals, 2u) << "of the larger two";
}

TEST_F(PluginEngineDevicesTest, PiecesOfABatchAreGatheredOnTheGpu) {
  for (const char* input : {"device", "engine_device"}) {
    Start({{"input_memory", input}, {"one_piece", "true"}});
    RecordingExecution execution(2);
    Run(execution, {SliceOf<int32_t>({1}), OnGpu({2, 3})}, 3);
    EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(1, 2, 3));
  }
}

TEST_F(PluginEngineDevicesTest, WhatIsOnTheGpuAlreadyStays) {
  Start({{"input_memory", "device"}});
  EXPECT_TRUE(model_->signature().inputs[0].takes_device_memory);
  RecordingExecution execution;
  Run(execution, {OnGpu({4, 5})}, 2);
  EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(4, 5));
  EXPECT_EQ(engine_->copies().inputs, 0u);
}

TEST_F(PluginEngineDevicesTest, WhatIsOnTheGpuIsBroughtToAnInstanceThatWantsItOnTheCpu) {
  Start({});
  EXPECT_FALSE(model_->signature().inputs[0].takes_device_memory);
  RecordingExecution execution;
  Run(execution, {OnGpu({4, 5})}, 2);
  EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(4, 5));
  EXPECT_EQ(engine_->copies().inputs, 1u);
}

TEST_F(PluginEngineDevicesTest, AnOutputStaysOnTheGpuWhereItIsWantedThere) {
  Start({{"input_memory", "device"}, {"output_memory", "host_device"}});
  const base::BufferSlice wanted = OnGpu({0, 0});
  DeviceExecution execution(wanted.owner());
  Run(execution, {SliceOf<int32_t>({6, 7})}, 2);
  EXPECT_EQ(execution.output(0).data.data(), wanted.data());
  EXPECT_THAT(ValuesOf<int32_t>(*base::Readable(execution.output(0).data)), ElementsAre(6, 7));
}

TEST_F(PluginEngineDevicesTest, TheEnginesOwnMemoryStaysOnTheGpuWhereItIsTakenThere) {
  Start({{"input_memory", "device"}, {"output_memory", "device"}});
  TakingExecution execution;
  Run(execution, {OnGpu({6, 7})}, 2);
  EXPECT_FALSE(execution.output(0).data.place().readable());
  EXPECT_EQ(execution.output(0).data.place().device, gpu_);
  EXPECT_EQ(engine_->copies().inputs + engine_->copies().outputs, 0u);
  EXPECT_THAT(ValuesOf<int32_t>(*base::Readable(execution.output(0).data)), ElementsAre(6, 7));
}

TEST_F(PluginEngineDevicesTest, MemoryOfAnotherProcessIsOpenedByItsHandle) {
  const SharedObject object(4096);
  std::string handle = object.key();
  handle.resize(INFERD_HANDLE_BYTES);
  base::DeviceMemory& memory = *base::FindDeviceMemory(runtime());
  {
    const base::Result<base::Buffer> opened = memory.OpenHandle(1, handle);
    ASSERT_TRUE(opened.has_value()) << opened.error().ToString();
    EXPECT_EQ(opened->size(), 4096u);
    EXPECT_FALSE(opened->place().readable());
    object.bytes()[100] = std::byte{7};
    EXPECT_EQ((*base::Readable(base::BufferSlice(*opened))).bytes()[100], std::byte{7});
  }
  EXPECT_EQ(memory.OpenHandle(2, handle).error().code(), base::StatusCode::kUnimplemented);
  EXPECT_THAT(memory.OpenHandle(0, "short").error().message(), HasSubstr("expected a handle of 64 bytes, got 5"));
  handle.assign(INFERD_HANDLE_BYTES, 'n');
  EXPECT_THAT(memory.OpenHandle(0, handle).error().message(), HasSubstr("no process has memory by this handle"));
}

TEST_F(PluginEngineDevicesTest, MemoryOnTheGpuIsGivenBack) {
  Start({{"input_memory", "engine_device"}, {"output_memory", "device"}});
  for (int i = 0; i < 40; ++i) {  // 4 MB each; the device has 64
    RecordingExecution execution;
    Run(execution, {SliceOf(std::vector<int32_t>(1 << 20, i))}, 1 << 20);
  }
}

TEST_F(PluginEngineDevicesTest, AFullGpuFailsTheExecutionAlone) {
  Start({{"input_memory", "device"}});
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt32, {20 << 20}, SliceOf(std::vector<int32_t>(20 << 20)));
  execution.outputs = {0};
  instance_->Execute(execution);
  EXPECT_EQ(execution.responses()[0].status.code(), base::StatusCode::kResourceExhausted);
  EXPECT_THAT(execution.responses()[0].status.message(), HasSubstr("has no room for 83886080 bytes on device 1"));
  RecordingExecution next;
  Run(next, {SliceOf<int32_t>({1})}, 1);
}

TEST_F(PluginEngineDevicesTest, GpusThatThereAreNotAreRefused) {
  config::ModelConfig config;
  config.name = "m";
  config.instance_groups.push_back({.name = "g", .kind = config::InstanceKind::kGpu, .count = 1, .gpus = {2}});
  core::LoadSpec spec;
  spec.config = std::make_shared<const config::ModelConfig>(config);
  const auto model = engine_->Load(spec);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code(), base::StatusCode::kFailedPrecondition);
  EXPECT_THAT(model.error().message(), HasSubstr("gpu id 2"));
}

}  // namespace
}  // namespace inferd::enginehost
