#include "serving/core/admission.h"

#include <gmock/gmock.h>

#include <new>

#include "base/memory_shortage.h"
#include "serving/core/held_versions_fixture.h"
#include "tests/support/sanitizers.h"

namespace inferd::core {
namespace {

using base::StatusCode;
using ::testing::SizeIs;

class AdmissionTest : public HeldVersionsTest {
 protected:
  QueuedRequest Queued() {
    QueuedRequest queued;
    queued.request = Request();
    queued.completion = Record();
    queued.version = version_;
    return queued;
  }
  const std::shared_ptr<const ModelVersion> version_ = MakeVersion(3);
};

TEST_F(AdmissionTest, ARequestFitsItsVersion) {
  QueuedRequest queued = Queued();
  int64_t retry_after_ms = 0;
  EXPECT_TRUE(CheckRequest(queued, &retry_after_ms).ok());
  queued.request->inputs[0].name = "OTHER";
  EXPECT_EQ(CheckRequest(queued, &retry_after_ms).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(retry_after_ms, 0);
  queued.Fail(base::Internal("not sent"));
}

#ifndef INFERD_UNDER_SANITIZER
TEST_F(AdmissionTest, WithoutMemoryNothingIsTaken) {
  QueuedRequest queued = Queued();
  int64_t retry_after_ms = 0;
  base::KeepMemoryReserve(size_t{1} << 62);
  EXPECT_EQ(CheckRequest(queued, &retry_after_ms), base::ResourceExhausted("the server is out of memory"));
  EXPECT_EQ(retry_after_ms, kRefusedRetryAfterMs);
  base::KeepMemoryReserve(1);
  std::set_new_handler(nullptr);
  EXPECT_TRUE(CheckRequest(queued, &retry_after_ms).ok());
  queued.Fail(base::Internal("not sent"));
}
#endif

TEST_F(AdmissionTest, ARequestIsWaitedFor) {
  const auto request = Request();
  EXPECT_TRUE(CheckAwaited(*request, 5).ok());
  request->deadline_ns = 6;
  EXPECT_TRUE(CheckAwaited(*request, 5).ok());
  EXPECT_EQ(CheckAwaited(*request, 6).code(), StatusCode::kDeadlineExceeded);
  request->cancel = std::make_shared<CancelFlag>();
  EXPECT_EQ(CheckAwaited(*request, 6).code(), StatusCode::kDeadlineExceeded);
  request->cancel->Cancel();
  EXPECT_EQ(CheckAwaited(*request, 6).code(), StatusCode::kCancelled);
}

TEST_F(AdmissionTest, WhatIsRefusedIsAnsweredAndCounted) {
  Refuse(Queued(), base::Cancelled("gone"), 0, 5);
  Refuse(Queued(), base::ResourceExhausted("full"), 7, 5);
  QueuedRequest warmup = Queued();
  warmup.warmup = true;
  Refuse(std::move(warmup), base::InvalidArgument("wrong"), 0, 5);
  QueuedRequest unknown = Queued();
  unknown.version = nullptr;
  Refuse(std::move(unknown), base::NotFound("unknown"), 0, 5);
  ASSERT_THAT(answers_, SizeIs(4));
  EXPECT_EQ(answers_[1].status, base::ResourceExhausted("full"));
  EXPECT_EQ(answers_[1].retry_after_ms, 7);
  EXPECT_EQ(version_->statistics().failures(FailureReason::kCanceled), 1u);
  EXPECT_EQ(version_->statistics().failures(FailureReason::kRejected), 1u);
}

}  // namespace
}  // namespace inferd::core
