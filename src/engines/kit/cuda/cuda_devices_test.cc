#include "engines/kit/cuda/cuda_devices.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <numeric>
#include <thread>

#include "tests/engines/cuda_stand_in.h"

namespace inferd::kit {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

CudaStandIn& StandIn() {
  static CudaStandIn* const stand_in = [] {
    void* const library = dlopen(INFERD_CUDA_STAND_IN, RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<CudaStandInFunction*>(dlsym(library, "inferd_cuda_stand_in"))();
  }();
  return *stand_in;
}

class CudaDevicesTest : public ::testing::Test {
 protected:
  CudaDevicesTest() : as_found_(StandIn()) {}
  ~CudaDevicesTest() override { StandIn() = as_found_; }

  static base::Status WhyNot() {
    const auto driver = CudaDriver::Open(INFERD_CUDA_STAND_IN);
    return driver.has_value() ? base::OkStatus() : driver.error();
  }
  static std::unique_ptr<CudaDevices> Open() {
    return std::make_unique<CudaDevices>(*CudaDriver::Open(INFERD_CUDA_STAND_IN));
  }

 private:
  const CudaStandIn as_found_;
};

inferd_memory OnCpu(std::vector<int>& numbers) {
  return {numbers.data(), numbers.size() * sizeof(int), INFERD_MEMORY_CPU, 0};
}

inferd_memory OnGpu(void* data, int32_t device, const std::vector<int>& numbers) {
  return {data, numbers.size() * sizeof(int), INFERD_MEMORY_GPU, device};
}

TEST_F(CudaDevicesTest, WhatIsMissingIsSaid) {
  const auto none = CudaDriver::Open("libcuda_of_nothing.so.1");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code(), base::StatusCode::kFailedPrecondition);
  EXPECT_THAT(none.error().message(), HasSubstr("NVIDIA's driver, libcuda_of_nothing.so.1, cannot be opened: "));
  const auto other = CudaDriver::Open("libm.so.6");
  ASSERT_FALSE(other.has_value());
  EXPECT_THAT(other.error().message(), HasSubstr("has no function cuInit"));

  StandIn().version = 10020;
  EXPECT_THAT(WhyNot().message(), EndsWith("is too old: it serves CUDA 10.2, and 11.0 is needed"));
  StandIn().version = 13000;
  StandIn().devices = 0;
  EXPECT_THAT(WhyNot().message(), EndsWith("finds no GPU"));
  StandIn().init_result = 100;
  EXPECT_THAT(WhyNot().message(), EndsWith("finds no GPU"));
  StandIn().init_result = 803;
  EXPECT_THAT(WhyNot().message(),
              EndsWith("does not start: cuInit: system has unsupported display driver / cuda driver combination (CUDA "
                       "error 803)"));
  StandIn().init_result = 9999;
  EXPECT_THAT(WhyNot().message(), EndsWith("cuInit: an error that the driver has no text for (CUDA error 9999)"));
}

TEST_F(CudaDevicesTest, BytesGoToDevicesAndBetweenThemAndBack) {
  const auto devices = Open();
  EXPECT_EQ(devices->count(), 2);
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (const auto& [first, second] : {std::pair{0, 0}, {0, 1}, {1, 0}, {1, 1}}) {
    SCOPED_TRACE(std::to_string(first) + " " + std::to_string(second));
    void* const one = *devices->Allocate(INFERD_MEMORY_GPU, first, numbers.size() * sizeof(int));
    void* const other = *devices->Allocate(INFERD_MEMORY_GPU, second, numbers.size() * sizeof(int));
    std::vector<int> back(numbers.size());
    EXPECT_TRUE(devices->Copy(OnCpu(numbers), OnGpu(one, first, numbers)).ok());
    EXPECT_TRUE(devices->Copy(OnGpu(one, first, numbers), OnGpu(other, second, numbers)).ok());
    EXPECT_TRUE(devices->Copy(OnGpu(other, second, numbers), OnCpu(back)).ok());
    EXPECT_EQ(back, numbers);
    devices->Release(INFERD_MEMORY_GPU, first, one);
    devices->Release(INFERD_MEMORY_GPU, second, other);
  }
  EXPECT_EQ(StandIn().allocations, 0u);
  EXPECT_EQ(StandIn().pushed, 0) << "the thread has the contexts that it had before";
  EXPECT_EQ(StandIn().relaxed, 0) << "and the mode";
}

TEST_F(CudaDevicesTest, PinnedMemoryIsTheCpus) {
  const auto devices = Open();
  void* const pinned = *devices->Allocate(INFERD_MEMORY_CPU_PINNED, 0, 400);
  std::vector<int> numbers(100, 7);
  EXPECT_TRUE(devices->Copy(OnCpu(numbers), {pinned, 400, INFERD_MEMORY_CPU_PINNED, 0}).ok());
  EXPECT_EQ(static_cast<int*>(pinned)[99], 7);
  EXPECT_EQ(StandIn().pinned, 1u);
  devices->Release(INFERD_MEMORY_CPU_PINNED, 0, pinned);
  EXPECT_EQ(StandIn().pinned, 0u);
}

TEST_F(CudaDevicesTest, AFullDeviceIsAnErrorAndStaysUsable) {
  StandIn().bytes_per_device = 4096;
  StandIn().pinned_bytes = 4096;
  const auto devices = Open();
  const auto too_much = devices->Allocate(INFERD_MEMORY_GPU, 0, 5000);
  ASSERT_FALSE(too_much.has_value());
  EXPECT_EQ(too_much.error(), base::ResourceExhausted("cuMemAlloc: out of memory (CUDA error 2)"));
  EXPECT_EQ(devices->Allocate(INFERD_MEMORY_CPU_PINNED, 0, 5000).error().code(), base::StatusCode::kResourceExhausted);
  void* const all = *devices->Allocate(INFERD_MEMORY_GPU, 0, 4096);
  EXPECT_FALSE(devices->Allocate(INFERD_MEMORY_GPU, 0, 1).has_value());
  devices->Release(INFERD_MEMORY_GPU, 0, all);
  void* const nothing = *devices->Allocate(INFERD_MEMORY_GPU, 0, 0);
  EXPECT_NE(nothing, nullptr);
  devices->Release(INFERD_MEMORY_GPU, 0, nothing);
}

TEST_F(CudaDevicesTest, WhatThereIsNotIsRefused) {
  const auto devices = Open();
  for (const int32_t device : {-1, 2, 255}) {
    EXPECT_EQ(devices->Allocate(INFERD_MEMORY_GPU, device, 8).error().code(), base::StatusCode::kInvalidArgument);
    std::vector<int> numbers(2);
    EXPECT_EQ(devices->Copy(OnCpu(numbers), OnGpu(nullptr, device, numbers)).code(),
              base::StatusCode::kInvalidArgument);
    devices->Release(INFERD_MEMORY_GPU, device, nullptr);
  }
  EXPECT_EQ(devices->Allocate(INFERD_MEMORY_CPU, 0, 8).error().code(), base::StatusCode::kInvalidArgument);
}

TEST_F(CudaDevicesTest, FailuresOfCopiesAreSaid) {
  const auto devices = Open();
  std::vector<int> numbers(100, 1);
  void* const data = *devices->Allocate(INFERD_MEMORY_GPU, 0, 400);
  StandIn().stream_result = 2;
  EXPECT_EQ(devices->Copy(OnCpu(numbers), OnGpu(data, 0, numbers)),
            base::ResourceExhausted("cuStreamCreate: out of memory (CUDA error 2)"));
  StandIn().stream_result = 0;
  StandIn().copy_result = 700;
  EXPECT_EQ(devices->Copy(OnCpu(numbers), OnGpu(data, 0, numbers)),
            base::Internal("cuMemcpyAsync: an illegal memory access was encountered (CUDA error 700)"));
  StandIn().copy_result = 0;
  EXPECT_TRUE(devices->Copy(OnCpu(numbers), OnGpu(data, 0, numbers)).ok());
  std::vector<int> more(1000);
  EXPECT_FALSE(devices->Copy(OnCpu(more), OnGpu(data, 0, more)).ok()) << "beyond what was allocated";
  devices->Release(INFERD_MEMORY_GPU, 0, data);
}

TEST_F(CudaDevicesTest, CopiesOfAStreamAreWaitedForTogether) {
  const auto devices = Open();
  for (const int32_t device : {0, 1}) {
    auto* const pinned = static_cast<int*>(*devices->Allocate(INFERD_MEMORY_CPU_PINNED, device, 400));
    void* const data = *devices->Allocate(INFERD_MEMORY_GPU, device, 400);
    std::vector<int> numbers(100);
    std::iota(numbers.begin(), numbers.end(), device);
    std::copy(numbers.begin(), numbers.end(), pinned);
    const CudaStream stream = *devices->TakeStream(device);
    const int awaited = StandIn().awaited;
    for (size_t at = 0; at < 400; at += 100) {
      const inferd_memory from = {reinterpret_cast<std::byte*>(pinned) + at, 100, INFERD_MEMORY_CPU_PINNED, 0};
      const inferd_memory to = {static_cast<std::byte*>(data) + at, 100, INFERD_MEMORY_GPU, device};
      EXPECT_TRUE(devices->StartCopy(device, stream, from, to).ok());
    }
    EXPECT_EQ(StandIn().awaited, awaited) << "none waits";
    EXPECT_NE(static_cast<int*>(StandIn().reach(data))[99], 99 + device) << "nor is it done before";
    EXPECT_TRUE(devices->AwaitCopies(device, stream).ok());
    EXPECT_EQ(StandIn().awaited, awaited + 1);
    EXPECT_EQ(static_cast<int*>(StandIn().reach(data))[99], 99 + device);

    std::vector<int> back(100);
    EXPECT_TRUE(devices->StartCopy(device, stream, OnGpu(data, device, back), OnCpu(back)).ok());
    EXPECT_TRUE(devices->AwaitCopies(device, stream).ok());
    EXPECT_EQ(back, numbers);
    devices->ReturnStream(device, stream);
    EXPECT_EQ(*devices->TakeStream(device), stream);
    devices->Release(INFERD_MEMORY_GPU, device, data);
    devices->Release(INFERD_MEMORY_CPU_PINNED, device, pinned);
  }
  EXPECT_EQ(StandIn().pushed, 0);
  EXPECT_EQ(StandIn().relaxed, 0);
  EXPECT_FALSE(devices->TakeStream(2).has_value());
}

TEST_F(CudaDevicesTest, AFailureThatShowsAtTheEndIsSaid) {
  const auto devices = Open();
  std::vector<int> numbers(100, 1);
  void* const data = *devices->Allocate(INFERD_MEMORY_GPU, 0, 400);
  const CudaStream stream = *devices->TakeStream(0);
  EXPECT_TRUE(devices->StartCopy(0, stream, OnCpu(numbers), OnGpu(data, 0, numbers)).ok());
  StandIn().await_result = 700;
  EXPECT_EQ(devices->AwaitCopies(0, stream),
            base::Internal("cuStreamSynchronize: an illegal memory access was encountered (CUDA error 700)"));
  devices->ReturnStream(0, stream);
  devices->Release(INFERD_MEMORY_GPU, 0, data);
}

TEST_F(CudaDevicesTest, MemoryOfAnotherProcessIsOpenedByItsHandle) {
  const auto devices = Open();
  void* const theirs = *devices->Allocate(INFERD_MEMORY_GPU, 1, 1024);
  CudaHandle handle = {};
  std::snprintf(handle.bytes, sizeof(handle.bytes), "memory %llu", reinterpret_cast<CudaAddress>(theirs));
  const auto opened = devices->OpenHandle(1, handle);
  ASSERT_TRUE(opened.has_value()) << opened.error().ToString();
  EXPECT_EQ(opened->data, theirs);
  EXPECT_EQ(opened->size, 1024u);
  EXPECT_EQ(opened->device, 1);
  EXPECT_EQ(StandIn().opened, 1);
  devices->CloseHandle(*opened);
  EXPECT_EQ(StandIn().opened, 0);
  EXPECT_EQ(devices->OpenHandle(0, handle).error().code(), base::StatusCode::kInvalidArgument) << "of another GPU";
  EXPECT_EQ(devices->OpenHandle(1, CudaHandle{}).error(),
            base::InvalidArgument("cuIpcOpenMemHandle: invalid argument (CUDA error 1)"));
  EXPECT_EQ(devices->OpenHandle(7, handle).error().code(), base::StatusCode::kInvalidArgument);
  devices->Release(INFERD_MEMORY_GPU, 1, theirs);
}

TEST_F(CudaDevicesTest, ThreadsCopySideBySideOnStreamsOfTheirOwnWhichAreUsedAgain) {
  const int before = StandIn().streams;
  const auto devices = Open();
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  std::vector<int> wrong(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&devices, &wrong, t] {
      for (int round = 0; round < 100; ++round) {
        std::vector<int> numbers(64, t * 1000 + round);
        std::vector<int> back(64);
        void* const data = *devices->Allocate(INFERD_MEMORY_GPU, t % 2, 256);
        const bool copied = devices->Copy(OnCpu(numbers), OnGpu(data, t % 2, numbers)).ok() &&
                            devices->Copy(OnGpu(data, t % 2, numbers), OnCpu(back)).ok();
        wrong[t] += copied && back == numbers ? 0 : 1;
        devices->Release(INFERD_MEMORY_GPU, t % 2, data);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(kThreads));
  EXPECT_LE(StandIn().streams - before, kThreads);
  EXPECT_EQ(StandIn().allocations, 0u);
}

}  // namespace
}  // namespace inferd::kit
