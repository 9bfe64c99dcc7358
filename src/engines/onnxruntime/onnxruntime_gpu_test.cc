// Tests instances on GPUs, with stand-ins for NVIDIA's driver and for ONNX Runtime's GPU package in place of the
// libraries that the engine opens. Touching the memory of these GPUs kills the process.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "base/device_memory.h"
#include "tests/engines/cuda_stand_in.h"
#include "tests/engines/onnxruntime_stand_in.h"
#include "tests/support/running_model.h"
#include "tests/support/temp_dir.h"

namespace inferd {
namespace {

using inferd::support::Packed;
using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using inferd::support::ValuesOf;
using tensor::DataType;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

const std::filesystem::path kModels = INFERD_TEST_MODELS;

template <typename Function>
auto* Loaded(const char* library, const char* symbol) {
  void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(dlsym(opened, symbol))();
}

CudaStandIn& Cuda() {
  static CudaStandIn& cuda = *Loaded<CudaStandInFunction>(INFERD_CUDA_STAND_IN, "inferd_cuda_stand_in");
  return cuda;
}

OnnxRuntimeStandIn& Library() {
  static OnnxRuntimeStandIn& library =
      *Loaded<OnnxRuntimeStandInFunction>(INFERD_ONNXRUNTIME_STAND_IN, "inferd_onnxruntime_stand_in");
  return library;
}

// It has room for some executions, but not for all.
std::shared_ptr<enginehost::PinnedPool> Pinned() {
  static const auto pool = std::make_shared<enginehost::PinnedPool>(size_t{6} << 10);
  return pool;
}

// Opened after the stand-ins, whose names it uses to find its libraries.
enginehost::PluginEngine& Engine() {
  Cuda();
  Library();
  static auto& engine =
      support::OpenEngine(std::filesystem::path(INFERD_ENGINES_DIR) / "onnxruntime.so", {.pinned = Pinned()});
  return engine;
}

// Returns a configuration with an instance on each of these GPUs.
config::ModelConfig OnGpus(std::vector<int32_t> gpus) {
  config::ModelConfig config;
  config.instance_groups.push_back(
      {.name = "g", .kind = config::InstanceKind::kGpu, .count = 1, .gpus = std::move(gpus)});
  return config;
}

config::ModelConfig Accelerated(const std::string& name, std::map<std::string, std::string> parameters) {
  config::ModelConfig config = OnGpus({0});
  config.gpu_accelerators.push_back({.name = name, .parameters = std::move(parameters)});
  return config;
}

void AskForGraphs(config::ModelConfig& config) {
  config.gpu_accelerators.push_back({.name = "cuda", .parameters = {{"enable_cuda_graph", "true"}}});
}

base::Result<std::unique_ptr<core::EngineModel>> Load(const std::string& model, const config::ModelConfig& config) {
  return support::LoadFile(Engine(), kModels / model / "1" / "model.onnx", config);
}

// One instance on a GPU.
struct Running {
  Running(const std::string& name, const config::ModelConfig& config, int32_t gpu = 0) {
    auto loaded = Load(name, config);
    if (!loaded) {
      ADD_FAILURE() << loaded.error().ToString();
      return;
    }
    model = *std::move(loaded);
    instance = *model->CreateInstance({.kind = config::InstanceKind::kGpu, .device = gpu});
  }

  base::Status Run(RecordingExecution& execution) const {
    if (execution.outputs.empty()) {
      for (size_t i = 0; i < model->signature().outputs.size(); ++i) execution.outputs.push_back(static_cast<int>(i));
    }
    instance->Execute(execution);
    execution.WaitUntilFinished();
    return execution.responses()[0].status;
  }

  // Runs the model `simple`: rows of 16 numbers, their sums and differences.
  void AddAndSubtract(int64_t rows, int32_t number) const {
    RecordingExecution execution;
    for (const int input : {0, 1}) {
      execution.AddInput(input, DataType::kInt32, {rows, 16},
                         SliceOf(std::vector<int32_t>(static_cast<size_t>(rows) * 16, number + input)));
    }
    const base::Status status = Run(execution);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(execution.output(0).shape, (tensor::Shape{rows, 16}));
    EXPECT_EQ(ValuesOf<int32_t>(execution.output(0).data),
              std::vector<int32_t>(static_cast<size_t>(rows) * 16, 2 * number + 1));
    EXPECT_EQ(ValuesOf<int32_t>(execution.output(1).data), std::vector<int32_t>(static_cast<size_t>(rows) * 16, -1));
  }

  std::unique_ptr<core::EngineModel> model;
  std::unique_ptr<core::EngineInstance> instance;
};

// An execution that wants its outputs on a GPU.
class DeviceExecution final : public RecordingExecution {
 public:
  explicit DeviceExecution(base::MemoryPlace place) : place_(place) {}
  base::Buffer AllocateOutput(int, size_t bytes, base::MemoryPlace wish) override {
    if (wish != place_) return base::Buffer::Allocate(bytes);
    return *base::FindDeviceMemory(place_.runtime)->Allocate(place_, bytes);
  }
  bool TakesOnDevice(int) const override { return true; }

 private:
  const base::MemoryPlace place_;
};

class OnnxRuntimeGpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Engine();
    const std::lock_guard lock(Library().mutex);
    Library().appended.clear();
    Library().recorded = 0;
    Library().replayed = 0;
  }
  void TearDown() override {
    EXPECT_EQ(Cuda().pushed, 0);
    EXPECT_EQ(Cuda().allocations, 0u) << "memory on a GPU is left";
  }

  static std::vector<std::string> Appended() {
    const std::lock_guard lock(Library().mutex);
    return Library().appended;
  }
  // The place in the runtime of the only opened engine.
  static base::MemoryPlace OnGpu(int gpu) {
    return {.kind = base::MemoryKind::kGpu, .runtime = 1, .device = static_cast<uint16_t>(gpu)};
  }
};

TEST_F(OnnxRuntimeGpuTest, TheEngineHasTheDriversGpus) {
  const config::EngineGpus gpus = Engine().gpus();
  EXPECT_EQ(gpus.count, 2);
  EXPECT_TRUE(gpus.preferred);
}

TEST_F(OnnxRuntimeGpuTest, InstancesComputeOnTheirGpu) {
  for (const int gpu : {0, 1}) {
    const Running simple("simple", OnGpus({0, 1}), gpu);
    EXPECT_TRUE(simple.model->signature().inputs[0].takes_device_memory);
    const int before = Library().device_inputs;
    simple.AddAndSubtract(3, 5);
    simple.AddAndSubtract(1, 6);
    simple.AddAndSubtract(500, 7);
    EXPECT_EQ(Library().device_inputs - before, 6) << "inputs are read on the GPU";
  }
  EXPECT_THAT(Appended(), ElementsAre("cuda device_id=0", "cuda device_id=1", "cuda device_id=0", "cuda device_id=1"));
}

TEST_F(OnnxRuntimeGpuTest, InstancesMayBeOnTheCpuBesides) {
  config::ModelConfig config = OnGpus({1});
  config.instance_groups.push_back({.name = "c", .kind = config::InstanceKind::kCpu, .count = 1, .gpus = {}});
  const Running simple("simple", config, 1);
  simple.AddAndSubtract(2, 1);
  const auto on_cpu = simple.model->CreateInstance({});
  ASSERT_TRUE(on_cpu.has_value()) << on_cpu.error().ToString();
  RecordingExecution execution;
  for (const int input : {0, 1}) {
    execution.AddInput(input, DataType::kInt32, {1, 16}, SliceOf(std::vector<int32_t>(16, 4)));
  }
  execution.outputs = {0};
  (*on_cpu)->Execute(execution);
  EXPECT_EQ(ValuesOf<int32_t>(execution.output(0).data)[15], 8);
  EXPECT_EQ(simple.model->CreateInstance({.kind = config::InstanceKind::kGpu, .device = 0}).error().message(),
            "the model was loaded for no instance on GPU 0");
}

TEST_F(OnnxRuntimeGpuTest, PiecesOfABatchAreGatheredOnTheGpu) {
  const Running simple("simple", OnGpus({0}));
  RecordingExecution execution(2);
  for (const int input : {0, 1}) {
    execution.AddInput(input, DataType::kInt32, {2, 16}, SliceOf(std::vector<int32_t>(16, 1)));
    execution.inputs.back().pieces.push_back(SliceOf(std::vector<int32_t>(16, 2)));
  }
  EXPECT_TRUE(simple.Run(execution).ok());
  const auto sums = ValuesOf<int32_t>(execution.output(0).data);
  EXPECT_EQ(sums[0], 2);
  EXPECT_EQ(sums[31], 4);
}

TEST_F(OnnxRuntimeGpuTest, OutputsAreOnTheGpuWhereTheyAreWantedThere) {
  for (const bool graphs : {false, true}) {
    config::ModelConfig config = OnGpus({1});
    if (graphs) AskForGraphs(config);
    const Running simple("simple", config, 1);
    DeviceExecution execution(OnGpu(1));
    for (const int input : {0, 1}) {
      execution.AddInput(input, DataType::kInt32, {1, 16}, SliceOf(std::vector<int32_t>(16, 4)));
    }
    ASSERT_TRUE(simple.Run(execution).ok());
    EXPECT_EQ(execution.output(0).data.place(), OnGpu(1));
    EXPECT_EQ(ValuesOf<int32_t>(*base::Readable(execution.output(0).data))[15], 8);
  }
}

TEST_F(OnnxRuntimeGpuTest, InputsOnTheGpuAreReadWhereTheyAre) {
  const Running simple("simple", OnGpus({0}));
  base::Buffer memory = *base::FindDeviceMemory(1)->Allocate(OnGpu(0), 64);
  const std::vector<int32_t> numbers(16, 9);
  ASSERT_TRUE(base::CopyBytes(SliceOf(numbers).data(), {}, memory.data(), OnGpu(0), 64).ok());
  const uint64_t copies = Engine().copies().inputs;
  RecordingExecution execution;
  for (const int input : {0, 1}) {
    execution.AddInput(input, DataType::kInt32, {1, 16}, base::BufferSlice(memory));
  }
  ASSERT_TRUE(simple.Run(execution).ok());
  EXPECT_EQ(ValuesOf<int32_t>(execution.output(0).data)[15], 18);
  EXPECT_EQ(Engine().copies().inputs, copies);
}

TEST_F(OnnxRuntimeGpuTest, ShapesThatDependOnTheDataAndStrings) {
  for (const bool graphs : {false, true}) {
    config::ModelConfig config = OnGpus({0});
    if (graphs) AskForGraphs(config);
    const Running nonzero("nonzero", config);
    RecordingExecution execution;
    execution.AddInput(0, DataType::kFp32, {4}, SliceOf<float>({0, 2, 0, 3}));
    ASSERT_TRUE(nonzero.Run(execution).ok());
    EXPECT_THAT(ValuesOf<int64_t>(execution.output(0).data), ElementsAre(1, 3));

    const Running strings("identity_bytes", config);
    RecordingExecution texts;
    const std::vector<std::string> elements = {"a", "", std::string("b\0c", 3)};
    texts.AddInput(0, DataType::kBytes, {1, 3}, Packed(elements));
    ASSERT_TRUE(strings.Run(texts).ok());
    EXPECT_EQ(texts.output(0).data.view(), Packed(elements).view());
  }
  EXPECT_EQ(Library().recorded, 0) << "neither can be a graph";
}

TEST_F(OnnxRuntimeGpuTest, FalseOutputShapesDoNotStopAModel) {
  for (const bool graphs : {false, true}) {
    config::ModelConfig config = OnGpus({0});
    if (graphs) AskForGraphs(config);
    const Running model("false_shape", config);
    for (int call = 0; call < 2; ++call) {
      RecordingExecution execution;
      execution.AddInput(0, DataType::kFp32, {2}, SliceOf<float>({1, 2}));
      const base::Status status = model.Run(execution);
      ASSERT_TRUE(status.ok()) << status.ToString();
      EXPECT_THAT(ValuesOf<float>(execution.output(0).data), ElementsAre(1, 2, 1, 2));
    }
  }
}

TEST_F(OnnxRuntimeGpuTest, CudaGraphsAreReplayedWithTheAddressesThatTheyWereRecordedWith) {
  config::ModelConfig config = OnGpus({0});
  AskForGraphs(config);
  const Running simple("simple", config);
  EXPECT_THAT(Appended(), ElementsAre("cuda device_id=0 enable_cuda_graph=1"));
  for (int round = 0; round < 3; ++round) {
    for (const int64_t rows : {1, 20, 400}) simple.AddAndSubtract(rows, round);
  }
  // Memory grew with the second and the third shape, so that earlier graphs were recorded again.
  EXPECT_EQ(Library().recorded, 5);
  EXPECT_EQ(Library().replayed, 4);
  RecordingExecution other;  // other outputs need another graph
  for (const int input : {0, 1}) {
    other.AddInput(input, DataType::kInt32, {1, 16}, SliceOf(std::vector<int32_t>(16, 4)));
  }
  other.outputs = {1};
  EXPECT_TRUE(simple.Run(other).ok());
  EXPECT_EQ(Library().recorded, 6);
}

TEST_F(OnnxRuntimeGpuTest, ThereAreNoMoreGraphsThanTheLimit) {
  config::ModelConfig config = OnGpus({0});
  AskForGraphs(config);
  const Running simple("simple", config);
  simple.AddAndSubtract(200, 1);
  for (int64_t rows = 1; rows <= 100; ++rows) simple.AddAndSubtract(rows, static_cast<int32_t>(rows));
  EXPECT_EQ(Library().recorded, 64);
}

TEST_F(OnnxRuntimeGpuTest, InstancesWithGraphsHaveSessionsOfTheirOwn) {
  config::ModelConfig config = OnGpus({0});
  config.instance_groups[0].count = 3;
  AskForGraphs(config);
  const auto model = Load("simple", config);
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(Appended().size(), 3u);
  std::vector<std::unique_ptr<core::EngineInstance>> instances;
  for (int i = 0; i < 3; ++i) {
    auto instance = (*model)->CreateInstance({.ordinal = i, .kind = config::InstanceKind::kGpu, .device = 0});
    ASSERT_TRUE(instance.has_value()) << instance.error().ToString();
    instances.push_back(*std::move(instance));
  }
  EXPECT_FALSE((*model)->CreateInstance({.kind = config::InstanceKind::kGpu, .device = 0}).has_value());
  instances.pop_back();
  EXPECT_TRUE((*model)->CreateInstance({.kind = config::InstanceKind::kGpu, .device = 0}).has_value());
}

TEST_F(OnnxRuntimeGpuTest, AnInstanceDoesNotReplayGraphsOfOneBeforeIt) {
  config::ModelConfig config = OnGpus({0});
  AskForGraphs(config);
  const auto model = Load("simple", config);
  ASSERT_TRUE(model.has_value());
  for (int generation = 1; generation <= 3; ++generation) {
    const auto instance = (*model)->CreateInstance({.kind = config::InstanceKind::kGpu, .device = 0});
    ASSERT_TRUE(instance.has_value());
    RecordingExecution execution;
    for (const int input : {0, 1}) {
      execution.AddInput(input, DataType::kInt32, {1, 16}, SliceOf(std::vector<int32_t>(16, generation)));
    }
    execution.outputs = {0};
    (*instance)->Execute(execution);
    execution.WaitUntilFinished();
    EXPECT_EQ(ValuesOf<int32_t>(execution.output(0).data)[15], 2 * generation);
    EXPECT_EQ(Library().recorded, generation);
    EXPECT_EQ(Library().replayed, 0);
  }
}

TEST_F(OnnxRuntimeGpuTest, InstancesRunSideBySide) {
  for (const bool graphs : {false, true}) {
    config::ModelConfig config = OnGpus({0, 1});
    if (graphs) AskForGraphs(config);
    config.instance_groups[0].count = 2;
    const auto model = Load("simple", config);
    ASSERT_TRUE(model.has_value());
    std::vector<std::thread> threads;
    std::atomic<int> good{0};
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const auto instance =
            (*model)->CreateInstance({.ordinal = t, .kind = config::InstanceKind::kGpu, .device = t % 2});
        for (int call = 0; call < 50; ++call) {
          RecordingExecution execution;
          for (const int input : {0, 1}) {
            execution.AddInput(input, DataType::kInt32, {2, 16}, SliceOf(std::vector<int32_t>(32, call)));
          }
          execution.outputs = {0};
          (*instance)->Execute(execution);
          execution.WaitUntilFinished();
          const bool ok = execution.responses()[0].status.ok();
          good += ok && ValuesOf<int32_t>(execution.output(0).data)[31] == 2 * call ? 1 : 0;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(good, 200);
  }
}

// The driver copies when its stream is awaited: memory that is used before has other bytes.
TEST_F(OnnxRuntimeGpuTest, InputsAndOutputsAreThereBeforeTheyAreUsedThoughTheirCopiesAreLate) {
  for (const bool graphs : {false, true}) {
    config::ModelConfig config = OnGpus({0, 1});
    if (graphs) AskForGraphs(config);
    config.instance_groups[0].count = 2;
    const auto model = Load("simple", config);
    ASSERT_TRUE(model.has_value());
    const int pinned = Cuda().pinned_copies;
    const int copies = Cuda().copies;
    std::vector<std::thread> threads;
    std::atomic<int> good{0};
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 dice(static_cast<uint32_t>(t));
        const auto instance =
            (*model)->CreateInstance({.ordinal = t, .kind = config::InstanceKind::kGpu, .device = t % 2});
        for (int call = 0; call < 50; ++call) {
          const auto rows = static_cast<int64_t>(1 + dice() % 60);
          RecordingExecution execution;
          std::vector<int32_t> sums(static_cast<size_t>(rows) * 16);
          for (const int input : {0, 1}) {
            std::vector<int32_t> numbers(sums.size());
            for (size_t i = 0; i < numbers.size(); ++i) {
              numbers[i] = static_cast<int32_t>(dice() % 1000000);
              sums[i] += numbers[i];
            }
            execution.AddInput(input, DataType::kInt32, {rows, 16}, SliceOf(numbers));
          }
          execution.outputs = {0, 1};
          (*instance)->Execute(execution);
          execution.WaitUntilFinished();
          const bool ok = execution.responses()[0].status.ok();
          good += ok && ValuesOf<int32_t>(execution.output(0).data) == sums ? 1 : 0;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(good, 200);
    EXPECT_GT(Cuda().pinned_copies, pinned);
    EXPECT_LT(Cuda().pinned_copies - pinned, Cuda().copies - copies) << "there is not room for all";
  }
  EXPECT_EQ(Pinned()->used(), 0u);
  EXPECT_EQ(Cuda().pinned, 1u) << "one piece, for all";
}

TEST_F(OnnxRuntimeGpuTest, AFullGpuFailsTheExecutionAlone) {
  const size_t bytes = std::exchange(Cuda().bytes_per_device, 4096);
  {
    const Running simple("simple", OnGpus({0}));
    RecordingExecution execution;
    for (const int input : {0, 1}) {
      execution.AddInput(input, DataType::kInt32, {100, 16}, SliceOf(std::vector<int32_t>(1600)));
    }
    EXPECT_EQ(simple.Run(execution).code(), base::StatusCode::kResourceExhausted);
    simple.AddAndSubtract(2, 1);
  }
  Cuda().bytes_per_device = bytes;
}

TEST_F(OnnxRuntimeGpuTest, TheConfigurationReachesTheProviders) {
  config::ModelConfig config = Accelerated(
      "tensorrt",
      {{"precision_mode", "FP16"}, {"max_workspace_size_bytes", "1000"}, {"trt_engine_cache_enable", "true"}});
  config.gpu_accelerators.push_back({.name = "cuda", .parameters = {{"use_tf32", "false"}}});
  config.parameters = {{"gpu_mem_limit", "5000"},
                       {"cudnn_conv_algo_search", "2"},
                       {"operator.tensorrt.trt_engine_cache_path", "/var/cache/inferd"}};
  const Running simple("simple", config);
  EXPECT_THAT(Appended(),
              ElementsAre("tensorrt device_id=0 trt_engine_cache_enable=1 trt_engine_cache_path=/var/cache/inferd "
                          "trt_fp16_enable=1 trt_max_workspace_size=1000",
                          "cuda cudnn_conv_algo_search=DEFAULT device_id=0 gpu_mem_limit=5000 use_tf32=0"));
  simple.AddAndSubtract(1, 1);
  const Running graphs("simple", Accelerated("tensorrt", {{"trt_cuda_graph_enable", "1"}}));
  EXPECT_EQ(Appended()[2], "tensorrt device_id=0 trt_cuda_graph_enable=1");
  EXPECT_EQ(Appended()[3], "cuda device_id=0");
}

TEST_F(OnnxRuntimeGpuTest, WhatIsNotKnownIsRefused) {
  const struct {
    config::ModelConfig config;
    base::StatusCode code;
    const char* message;
  } kWrong[] = {
      {Accelerated("auto_mixed_precision", {}), base::StatusCode::kInvalidArgument,
       "unknown Execution Accelerator 'auto_mixed_precision' is requested"},
      {Accelerated("cuda", {{"speed", "1"}}), base::StatusCode::kInvalidArgument, "unknown parameter 'speed'"},
      {Accelerated("tensorrt", {{"precision_mode", "FP8"}}), base::StatusCode::kInvalidArgument, "got 'FP8'"},
      {Accelerated("tensorrt", {{"trt_engine_cache_path", "/"}}), base::StatusCode::kPermissionDenied,
       "operator.tensorrt.trt_engine_cache_path"},
      {Accelerated("tensorrt", {{"trt_timing_cache_enable", "1"}}), base::StatusCode::kFailedPrecondition,
       "operator.tensorrt.trt_timing_cache_path"},
      {OnGpus({2}), base::StatusCode::kFailedPrecondition, "specifies invalid or unsupported gpu id 2"},
  };
  for (const auto& wrong : kWrong) {
    const auto model = Load("simple", wrong.config);
    ASSERT_FALSE(model.has_value()) << wrong.message;
    EXPECT_EQ(model.error().code(), wrong.code);
    EXPECT_THAT(model.error().message(), HasSubstr(wrong.message));
  }
  config::ModelConfig on_cpu;  // does not use it
  on_cpu.gpu_accelerators.push_back({.name = "auto_mixed_precision", .parameters = {}});
  EXPECT_TRUE(Load("simple", on_cpu).has_value());
}

TEST_F(OnnxRuntimeGpuTest, ALibraryThatIsMissingIsNamed) {
  Library().misses_library = true;
  for (const auto& config : {OnGpus({1}), Accelerated("tensorrt", {})}) {
    const auto model = Load("simple", config);
    ASSERT_FALSE(model.has_value());
    EXPECT_EQ(model.error().code(), base::StatusCode::kFailedPrecondition);
    EXPECT_THAT(model.error().message(), HasSubstr("libcublasLt.so.13: cannot open shared object file"));
    EXPECT_THAT(model.error().message(), HasSubstr("it needs "));
  }
  Library().misses_library = false;
}

class TensorRtPlanModelTest : public OnnxRuntimeGpuTest {
 protected:
  // Makes a plan of the model `simple` in the stand-in's form.
  TensorRtPlanModelTest() {
    std::ifstream model(kModels / "simple" / "1" / "model.onnx", std::ios::binary);
    std::ofstream(file_, std::ios::binary) << "ptrt" << std::string(std::istreambuf_iterator<char>(model), {});
    config_ = OnGpus({0});
    config_.backend = "tensorrt";
    config_.max_batch_size = 8;
    for (const char* name : {"INPUT0", "INPUT1"}) {
      config_.inputs.push_back({.name = name, .datatype = DataType::kInt32, .dims = {16}});
    }
    for (const char* name : {"OUTPUT0", "OUTPUT1"}) {
      config_.outputs.push_back({.name = name, .datatype = DataType::kInt32, .dims = {16}});
    }
  }

  const support::TempDir dir_;
  const std::filesystem::path file_ = dir_.path() / "model.plan";
  config::ModelConfig config_;
};

TEST_F(TensorRtPlanModelTest, APlanIsGivenToTensorRtsProvider) {
  const int before = Library().plans;
  auto model = support::LoadFile(Engine(), file_, config_);
  ASSERT_TRUE(model.has_value()) << model.error().ToString();
  EXPECT_EQ(Library().plans - before, 1);
  EXPECT_THAT(Appended(), ElementsAre("tensorrt device_id=0", "cuda device_id=0"));
  auto instance = (*model)->CreateInstance({.kind = config::InstanceKind::kGpu, .device = 0});
  ASSERT_TRUE(instance.has_value());
  RecordingExecution execution;
  for (const int input : {0, 1}) {
    execution.AddInput(input, DataType::kInt32, {3, 16}, SliceOf(std::vector<int32_t>(48, 4)));
  }
  execution.outputs = {0};
  (*instance)->Execute(execution);
  ASSERT_TRUE(execution.responses()[0].status.ok());
  EXPECT_EQ(ValuesOf<int32_t>(execution.output(0).data)[47], 8);
}

TEST_F(TensorRtPlanModelTest, OneThatCannotBeLoadedSaysWhatItNeeds) {
  config::ModelConfig undeclared = config_;
  undeclared.inputs.clear();
  EXPECT_THAT(support::LoadFile(Engine(), file_, undeclared).error().message(),
              HasSubstr("config.pbtxt must list every input and output of it"));
  config::ModelConfig on_cpu = config_;
  on_cpu.instance_groups.clear();
  EXPECT_THAT(support::LoadFile(Engine(), file_, on_cpu).error().message(),
              HasSubstr("every instance_group must be of kind KIND_GPU"));
}

// The library itself validates the model that a plan becomes: only the provider that would run it is missing.
TEST_F(TensorRtPlanModelTest, TheModelThatItBecomesIsValid) {
  std::ofstream(file_, std::ios::binary) << "ftrt: not for the stand-in";
  const auto model = support::LoadFile(Engine(), file_, config_);
  ASSERT_FALSE(model.has_value());
  EXPECT_THAT(model.error().message(),
              HasSubstr("EPContext node generated by 'TensorrtExecutionProvider' is not compatible "
                        "with any execution provider added to the session"));
}

}  // namespace
}  // namespace inferd
