#include "config/memory/gpu_memory.h"

#include <gtest/gtest.h>

#include <string>

#include "config/model/model_config_completion.h"
#include "config/model/model_config_parser.h"

namespace inferd::config {
namespace {

GpuBytes Held(const std::string& groups, int64_t file_bytes) {
  auto parsed = ParseModelConfig("backend: \"fake\" " + groups, "config.pbtxt");
  EXPECT_TRUE(parsed.has_value()) << parsed.error().ToString();
  CompletionOptions options;
  options.gpus["fake"] = {.count = 2};
  const auto resolved = ResolveModel(*std::move(parsed), "m", {}, options);
  EXPECT_TRUE(resolved.has_value()) << resolved.error().ToString();
  return GpuMemoryOf(*resolved, file_bytes);
}

TEST(GpuMemoryTest, EachGpuHasTheFilesOnceOrWhatTheConfigurationSays) {
  EXPECT_EQ(Held("", 7), GpuBytes{}) << "it is on the CPU";
  EXPECT_EQ(Held("instance_group { kind: KIND_GPU count: 3 }", 7), (GpuBytes{{0, 7}, {1, 7}}));
  EXPECT_EQ(Held("instance_group { kind: KIND_GPU gpus: 1 } instance_group { kind: KIND_CPU }", 7), (GpuBytes{{1, 7}}));
  EXPECT_EQ(Held("instance_group { kind: KIND_GPU gpus: 1 } inferd { gpu_memory_bytes: 9 memory_bytes: 5 }", 7),
            (GpuBytes{{1, 9}}));
  EXPECT_EQ(Held("instance_group { kind: KIND_CPU } inferd { gpu_memory_bytes: 9 }", 7), GpuBytes{});
  EXPECT_EQ(Held("instance_group { kind: KIND_GPU }", 0), GpuBytes{});
}

}  // namespace
}  // namespace inferd::config
