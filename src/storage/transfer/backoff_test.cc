#include "storage/transfer/backoff.h"

#include <gtest/gtest.h>

#include <vector>

namespace inferd::storage {
namespace {

using base::StatusCode;
using std::chrono::milliseconds;

constexpr RetryPolicy kAtOnce{.attempts = 3, .first_pause = milliseconds(0), .pause_max = milliseconds(0)};

TEST(PauseAfterTest, DoublesUpToItsLimit) {
  const RetryPolicy policy{.first_pause = milliseconds(200), .pause_max = milliseconds(1000)};
  std::vector<int64_t> pauses;
  for (const int attempt : {0, 1, 2, 3, 1000}) pauses.push_back(PauseAfter(attempt, 0, policy).count());
  EXPECT_EQ(pauses, (std::vector<int64_t>{200, 400, 800, 1000, 1000}));
}

TEST(PauseAfterTest, HalfOfItIsChance) {
  const RetryPolicy policy{.first_pause = milliseconds(200)};
  EXPECT_EQ(PauseAfter(0, 0.5, policy), milliseconds(150));
  EXPECT_GE(PauseAfter(0, 0.999, policy), milliseconds(100));
}

TEST(RetryTest, TriesAgainOnlyWhatAnotherTryMayMend) {
  const struct {
    StatusCode code;
    int calls;
  } cases[] = {
      {StatusCode::kOk, 1}, {StatusCode::kUnavailable, 3}, {StatusCode::kNotFound, 1}, {StatusCode::kAborted, 1}};
  for (const auto& one : cases) {
    int calls = 0;
    const base::Status status = Retry(kAtOnce, {}, [&] {
      ++calls;
      return base::Status(one.code, "");
    });
    EXPECT_EQ(status.code(), one.code);
    EXPECT_EQ(calls, one.calls);
  }
}

TEST(RetryTest, ProgressBeginsTheCountAnew) {
  int calls = 0;
  const base::Status status = Retry(
      kAtOnce, {},
      [&] {
        ++calls;
        return base::Unavailable("cut");
      },
      [&] { return calls <= 5; });
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(calls, 7);  // the fifth counts as the first of three
}

TEST(RetryTest, ARequestToStopEndsAPause) {
  std::stop_source stop;
  const RetryPolicy long_pauses{.first_pause = std::chrono::hours(1), .pause_max = std::chrono::hours(1)};
  const base::Status status = Retry(long_pauses, stop.get_token(), [&] {
    stop.request_stop();
    return base::Unavailable("busy");
  });
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace inferd::storage
