#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/options/options_fixture.h"

namespace inferd::config {
namespace {

using ::testing::ElementsAre;

TEST(LazyLoadingRowsTest, ABudgetTurnsItOn) {
  EXPECT_FALSE(Parse({"m"})->options.lazy.on());
  EXPECT_TRUE(Parse({"m", "--lazy-loading"})->options.lazy.on());
  EXPECT_TRUE(Parse({"m", "--loaded-models-max=3"})->options.lazy.on());
  EXPECT_TRUE(Parse({"m", "--gpu-memory-budget=3"})->options.lazy.on());
  const auto parsed = Parse({"m", "--model-memory-budget=4G", "--gpu-memory-budget=8G", "--pinned-model=a",
                             "--pinned-model=b", "--load-waiters-max=7", "--load-wait-max=90s"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  const LazyOptions& lazy = parsed->options.lazy;
  EXPECT_TRUE(lazy.on());
  EXPECT_EQ(lazy.memory_budget, uint64_t{4} << 30);
  EXPECT_EQ(lazy.gpu_memory_budget, uint64_t{8} << 30);
  EXPECT_THAT(lazy.pinned_models, ElementsAre("a", "b"));
  EXPECT_EQ(lazy.waiters_max, 7u);
  EXPECT_EQ(lazy.wait_max, std::chrono::seconds(90));
}

}  // namespace
}  // namespace inferd::config
