#include "server/gpus/gpu_metrics.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "base/logging.h"
#include "tests/support/temp_dir.h"

namespace inferd::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kStandIn = std::string(INFERD_NVML_DIR) + "/libnvidia-ml.so.1";
const std::string kOlder = std::string(INFERD_NVML_DIR) + "/older/libnvidia-ml.so.1";

class GpuMetricsTest : public ::testing::Test {
 protected:
  void SetUp() override { Fail(""); }

  // Makes these calls of the stand-in library fail.
  static void Fail(const char* calls) {
    static void* const library = dlopen(kStandIn.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    reinterpret_cast<void (*)(const char*)>(dlsym(library, "nvml_stand_in_fail"))(calls);
  }
  static std::string WhyNot(const std::string& library) { return Nvml::Open(library).error().ToString(); }

  GpuMetrics Read(const std::string& library) { return {registry_, *logger_, std::chrono::milliseconds(10), library}; }
  // Waits until the metrics page satisfies `says`, and returns it.
  std::string PageWith(const std::function<bool(const std::string&)>& says) {
    for (;;) {
      std::string page = registry_.PrometheusText();
      if (says(page)) return page;
      std::this_thread::yield();
    }
  }

  std::string Logged() const {
    std::ifstream file(log_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  metrics::Registry registry_;
  const support::TempDir folder_;
  const std::string log_ = folder_.path() / "log";
  const std::unique_ptr<base::Logger> logger_ = *base::Logger::Create({.file = log_});
};

TEST_F(GpuMetricsTest, TheLibrarySaysWhatGpusThereAre) {
  const auto nvml = Nvml::Open(kStandIn);
  ASSERT_TRUE(nvml.has_value()) << nvml.error().ToString();
  EXPECT_THAT((*nvml)->uuids(), ElementsAre("GPU-fake-0", "GPU-fake-1"));
  const GpuFigures figures = (*nvml)->Read(1);
  EXPECT_EQ(figures.utilization, 0.75);
  EXPECT_EQ(figures.memory_total, 8e9);
  EXPECT_EQ(figures.memory_used, 3e9);
  EXPECT_DOUBLE_EQ(figures.power_usage.value_or(0), 70.25);
  EXPECT_DOUBLE_EQ(figures.power_limit.value_or(0), 300);
  EXPECT_GT(figures.energy, 5.0);
}

TEST_F(GpuMetricsTest, EachCallMayFailByItself) {
  Fail("nvmlDeviceGetPowerUsage nvmlDeviceGetMemoryInfo");
  const GpuFigures figures = (*Nvml::Open(kStandIn))->Read(0);
  EXPECT_EQ(figures.utilization, 0.5);
  EXPECT_FALSE(figures.memory_total.has_value() || figures.memory_used.has_value() || figures.power_usage.has_value());
  EXPECT_TRUE(figures.power_limit.has_value() && figures.energy.has_value());
  Fail("nvmlDeviceGetUUID");
  EXPECT_THAT((*Nvml::Open(kStandIn))->uuids(), IsEmpty());
}

TEST_F(GpuMetricsTest, AnOlderLibraryHasNotAllCalls) {
  const GpuFigures figures = (*Nvml::Open(kOlder))->Read(0);
  EXPECT_TRUE(figures.power_limit.has_value());
  EXPECT_FALSE(figures.energy.has_value());
}

TEST_F(GpuMetricsTest, WhatDoesNotStartIsSaidSo) {
  EXPECT_EQ(WhyNot("libinferd-none.so"), "NOT_FOUND: there is no libinferd-none.so");
  EXPECT_THAT(WhyNot("libc.so.6"), HasSubstr("UNAVAILABLE: libc.so.6 is none of NVIDIA's"));
  Fail("nvmlInit_v2");
  EXPECT_THAT(WhyNot(kStandIn), HasSubstr("does not start: error 999"));
  Fail("nvmlDeviceGetCount_v2");
  EXPECT_THAT(WhyNot(kStandIn), HasSubstr("cannot be counted: error 999"));
}

TEST_F(GpuMetricsTest, ThePageHasAllFiguresOfAllGpus) {
  const GpuMetrics metrics = Read(kStandIn);
  const std::string page = PageWith([](const std::string& text) {
    return text.find(R"(nv_energy_consumption{gpu_uuid="GPU-fake-1"} 0)") == std::string::npos &&
           text.find(R"(nv_energy_consumption{gpu_uuid="GPU-fake-1"})") != std::string::npos;
  });
  for (const char* line :
       {R"(nv_gpu_utilization{gpu_uuid="GPU-fake-0"} 0.5)", R"(nv_gpu_utilization{gpu_uuid="GPU-fake-1"} 0.75)",
        R"(nv_gpu_memory_total_bytes{gpu_uuid="GPU-fake-0"} 8e+09)",
        R"(nv_gpu_memory_used_bytes{gpu_uuid="GPU-fake-1"} 3e+09)", R"(nv_gpu_power_usage{gpu_uuid="GPU-fake-0"} 60.5)",
        R"(nv_gpu_power_limit{gpu_uuid="GPU-fake-0"} 300)", "# TYPE nv_energy_consumption counter",
        "# TYPE nv_gpu_power_usage gauge"}) {
    EXPECT_THAT(page, HasSubstr(line));
  }
}

TEST_F(GpuMetricsTest, WhatAGpuDoesNotSayIsNotOnThePage) {
  Fail("nvmlDeviceGetPowerUsage");
  const GpuMetrics metrics = Read(kStandIn);
  PageWith([](const std::string& text) {
    return text.find(R"(nv_gpu_power_limit{gpu_uuid="GPU-fake-1"})") != std::string::npos &&
           text.find("nv_gpu_power_usage{") == std::string::npos;
  });
  Fail("");
  PageWith([](const std::string& text) { return text.find("nv_gpu_power_usage{") != std::string::npos; });
  Fail("nvmlDeviceGetPowerUsage");
  PageWith([](const std::string& text) { return text.find("nv_gpu_power_usage{") == std::string::npos; });
}

TEST_F(GpuMetricsTest, WithoutTheLibraryThereIsNothing) {
  {
    const GpuMetrics metrics = Read("libinferd-none.so");
  }
  EXPECT_THAT(registry_.PrometheusText(), Not(HasSubstr("nv_gpu")));
  EXPECT_THAT(Logged(), IsEmpty());
  Fail("nvmlInit_v2");
  {
    const GpuMetrics metrics = Read(kStandIn);
    while (Logged().empty()) std::this_thread::yield();
  }
  EXPECT_THAT(Logged(), HasSubstr("does not start: error 999"));
  EXPECT_THAT(registry_.PrometheusText(), Not(HasSubstr("nv_gpu")));
}

}  // namespace
}  // namespace inferd::server
