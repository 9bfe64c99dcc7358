#include "server/gpus/pinned_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace inferd::server {
namespace {

using ::testing::HasSubstr;

TEST(PinnedMetricsTest, ShowWhatAllPoolsHaveTogether) {
  metrics::Registry registry;
  const auto uses = std::make_shared<enginehost::PinnedUses>();
  RegisterPinnedMetrics(registry, uses);
  EXPECT_THAT(registry.PrometheusText(), HasSubstr("\nnv_pinned_memory_pool_total_bytes 0\n"));
  const auto one = std::make_shared<enginehost::PinnedUse>();
  auto other = std::make_shared<enginehost::PinnedUse>();
  uses->Add(one);
  uses->Add(other);
  for (const auto& each : {one, other}) {
    each->bytes = 4096;
    each->used = 256;
    each->blocks = 3;
    each->Refuse();
  }
  const std::string page = registry.PrometheusText();
  EXPECT_THAT(page, HasSubstr("\nnv_pinned_memory_pool_total_bytes 8192\n"));
  EXPECT_THAT(page, HasSubstr("\nnv_pinned_memory_pool_used_bytes 512\n"));
  EXPECT_THAT(page, HasSubstr("\ninferd_pinned_memory_blocks_total 6\n"));
  EXPECT_THAT(page, HasSubstr("\ninferd_pinned_memory_refusals_total 2\n"));
}

TEST(PinnedMetricsTest, CountersOfAProcessThatHasEndedStay) {
  metrics::Registry registry;
  const auto uses = std::make_shared<enginehost::PinnedUses>();
  RegisterPinnedMetrics(registry, uses);
  auto ended = std::make_shared<enginehost::PinnedUse>();
  uses->Add(ended);
  ended->bytes = 4096;
  ended->used = 256;
  ended->blocks = 3;
  ended.reset();
  for (int i = 0; i < 2; ++i) {
    const std::string page = registry.PrometheusText();
    EXPECT_THAT(page, HasSubstr("\nnv_pinned_memory_pool_total_bytes 0\n"));
    EXPECT_THAT(page, HasSubstr("\nnv_pinned_memory_pool_used_bytes 0\n"));
    EXPECT_THAT(page, HasSubstr("\ninferd_pinned_memory_blocks_total 3\n"));
  }
}

}  // namespace
}  // namespace inferd::server
