#include "serving/core/model/response_statistics.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace inferd::core {
namespace {

TEST(ResponseStatisticsTest, CountsByPlaceAndOutcome) {
  ResponseStatistics statistics;
  statistics.Record(0, ResponseOutcome::kSuccess, 10, 1);
  statistics.Record(0, ResponseOutcome::kSuccess, 20, 2);
  statistics.Record(0, ResponseOutcome::kFail, 5, 0);
  statistics.Record(200, ResponseOutcome::kEmpty, 7, 0);
  statistics.Record(1, ResponseOutcome::kCancel, -3, 0);
  const auto responses = statistics.Read();
  ASSERT_EQ(responses.size(), 3u);
  EXPECT_EQ(responses[0].index, 0u);
  EXPECT_EQ(responses[0].compute_infer.count, 3u);
  EXPECT_EQ(responses[0].compute_infer.ns, 35u);
  EXPECT_EQ(responses[0].compute_output.ns, 3u);
  EXPECT_EQ(responses[0].success.count, 2u);
  EXPECT_EQ(responses[0].success.ns, 33u);
  EXPECT_EQ(responses[0].fail.count, 1u);
  EXPECT_EQ(responses[1].index, 1u);
  EXPECT_EQ(responses[1].cancel.count, 1u);
  EXPECT_EQ(responses[1].cancel.ns, 0u);
  EXPECT_EQ(responses[2].index, 200u);
  EXPECT_EQ(responses[2].empty.ns, 7u);
}

TEST(ResponseStatisticsTest, LongStreamsAreBounded) {
  ResponseStatistics statistics;
  statistics.Record(ResponseStatistics::kIndicesMax - 1, ResponseOutcome::kSuccess, 1, 1);
  statistics.Record(ResponseStatistics::kIndicesMax, ResponseOutcome::kSuccess, 1, 1);
  statistics.Record(~uint64_t{0}, ResponseOutcome::kSuccess, 1, 1);
  EXPECT_EQ(statistics.Read().size(), 1u);
}

TEST(ResponseStatisticsTest, ThreadsCountTogether) {
  ResponseStatistics statistics;
  constexpr uint64_t kEach = 2000;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&statistics] {
      for (uint64_t i = 0; i < kEach; ++i) statistics.Record(i % 300, ResponseOutcome::kSuccess, 1, 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  uint64_t count = 0;
  for (const auto& response : statistics.Read()) count += response.success.count;
  EXPECT_EQ(count, 4 * kEach);
}

}  // namespace
}  // namespace inferd::core
