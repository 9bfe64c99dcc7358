#include "serving/scheduling/queue/admission.h"

#include <gtest/gtest.h>

namespace inferd::scheduling {
namespace {

core::QueuedRequest Request(int* answers) {
  core::QueuedRequest queued;
  queued.request = std::make_unique<core::InferRequest>();
  queued.completion = core::Completion([answers](core::InferResponse) { ++*answers; });
  return queued;
}

TEST(AdmissionTest, WithoutALimitNothingIsCounted) {
  base::FakeClock clock;
  Admission admission({}, clock);
  int answers = 0;
  core::QueuedRequest queued = Request(&answers);
  EXPECT_EQ(admission.Admit(queued), 0);
  EXPECT_EQ(admission.Report().in_flight, 0);
  queued.Answer({});
  EXPECT_EQ(answers, 1);
}

TEST(AdmissionTest, RefusesBeyondTheLimitAndLetsInAgainAfterAnswers) {
  base::FakeClock clock;
  Admission admission({.min = 2, .max = 2}, clock);
  int answers = 0;
  std::vector<core::QueuedRequest> in;
  for (int64_t retry_ms = 0;;) {
    core::QueuedRequest queued = Request(&answers);
    retry_ms = admission.Admit(queued);
    if (retry_ms > 0) {
      queued.Fail(base::ResourceExhausted("later"));
      break;
    }
    in.push_back(std::move(queued));
    ASSERT_LE(in.size(), 2u);
  }
  EXPECT_EQ(admission.Report().in_flight, static_cast<int64_t>(in.size()));
  EXPECT_EQ(admission.Report().shed, 1u);
  for (auto& queued : in) queued.Answer({});
  EXPECT_EQ(admission.Report().in_flight, 0);
  core::QueuedRequest again = Request(&answers);
  EXPECT_EQ(admission.Admit(again), 0);
  again.Fail(base::Cancelled("gone"));
  EXPECT_EQ(admission.Report().in_flight, 0) << "who gives up counts no more";
}

TEST(AdmissionTest, OneMayTakeThePlaceOfAnother) {
  base::FakeClock clock;
  Admission admission({.min = 1, .max = 1}, clock);
  int answers = 0;
  core::QueuedRequest first = Request(&answers);
  EXPECT_EQ(admission.Admit(first), 0);
  core::QueuedRequest second = Request(&answers);
  EXPECT_GT(admission.Admit(second), 0);
  admission.AdmitInstead(second);
  first.Fail(base::ResourceExhausted("later"));
  EXPECT_EQ(admission.Report().in_flight, 1);
  EXPECT_EQ(admission.Report().shed, 1u) << "one of them";
  core::QueuedRequest third = Request(&answers);
  EXPECT_GT(admission.Admit(third), 0);
  second.Answer({});
  EXPECT_EQ(admission.Report().in_flight, 0);
  EXPECT_EQ(answers, 2);
}

TEST(AdmissionTest, OnlyTheFinalAnswerEndsARequest) {
  base::FakeClock clock;
  Admission admission({.min = 8, .max = 8}, clock);
  int answers = 0;
  core::QueuedRequest queued = Request(&answers);
  EXPECT_EQ(admission.Admit(queued), 0);
  core::InferResponse partial;
  partial.final = false;
  queued.Answer(std::move(partial));
  EXPECT_EQ(admission.Report().in_flight, 1);
  queued.Answer({});
  EXPECT_EQ(admission.Report().in_flight, 0);
  EXPECT_EQ(answers, 2);
}

TEST(AdmissionTest, OfAModelThatBatchesWhatItsExecutionsLeaveBehindCounts) {
  for (const int64_t left : {0, 400}) {
    base::FakeClock clock;
    Admission admission({.min = 1, .max = 100}, clock, true);
    const int64_t before = admission.Report().limit;
    int answers = 0;
    for (int round = 0; round < 20; ++round) {
      std::vector<core::QueuedRequest> in;
      for (int i = 0; i < 16; ++i) {
        core::QueuedRequest queued = Request(&answers);
        queued.queued_ns = clock.NowNs();
        if (admission.Admit(queued) == 0) in.push_back(std::move(queued));
      }
      clock.AdvanceMs(5);
      admission.RecordBatch(static_cast<int64_t>(in.size()), left);
      for (auto& queued : in) queued.Answer({});
    }
    EXPECT_EQ(admission.Report().limit > before, left == 0);
    EXPECT_EQ(admission.Report().limit < before, left > 0);
  }
}

}  // namespace
}  // namespace inferd::scheduling
