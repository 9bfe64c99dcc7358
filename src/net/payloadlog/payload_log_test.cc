#include "net/payloadlog/payload_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "net/payloadlog/fake_payload_sink.h"

namespace inferd::payloadlog {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kDropped = "inferd_payload_log_dropped_total{reason=\"";

class PayloadLogTest : public ::testing::Test {
 protected:
  PayloadLogTest() {
    options_.workers = 1;
    options_.first_pause = std::chrono::milliseconds(1);
  }
  void Start() {
    log_.emplace(options_, [this] { return std::make_unique<FakePayloadSink>(state_); }, registry_, *logger_);
  }
  void Put(std::string_view body, PayloadKind kind = PayloadKind::kRequest) {
    Payload payload;
    payload.kind = kind;
    payload.body.emplace_back(base::Buffer::CopyOf(body));
    log_->Put(std::move(payload));
  }
  std::string Page() const { return registry_.PrometheusText(); }
  static std::string Dropped(std::string_view reason, int count) {
    return std::string(kDropped) + std::string(reason) + "\"} " + std::to_string(count) + "\n";
  }
  static std::string Sent(std::string_view type, int count) {
    return "inferd_payload_log_sent_total{type=\"" + std::string(type) + "\"} " + std::to_string(count) + "\n";
  }

  PayloadLogOptions options_;
  FakeSinkState state_;
  metrics::Registry registry_;
  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  std::optional<PayloadLog> log_;
};

TEST_F(PayloadLogTest, WhatIsPutIsSentInOrderAndCounted) {
  Start();
  Put("a");
  Put("b", PayloadKind::kResponse);
  Put("c");
  log_.reset();
  EXPECT_THAT(state_.bodies(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(Page(), HasSubstr(Sent("request", 2)));
  EXPECT_THAT(Page(), HasSubstr(Sent("response", 1)));
  EXPECT_THAT(Page(), HasSubstr("inferd_payload_log_waiting 0\n"));
  EXPECT_THAT(Page(), HasSubstr("inferd_payload_log_waiting_bytes 0\n"));
}

TEST_F(PayloadLogTest, WhatFindsNoPlaceIsDropped) {
  options_.payloads_max = 2;
  state_.Hold();
  Start();
  Put("a");
  state_.WaitForBodies(1);
  Put("b");
  Put("c");
  EXPECT_THAT(Page(), HasSubstr(Dropped("queue_full", 1)));
  state_.Release();
  log_.reset();
  EXPECT_THAT(state_.bodies(), ElementsAre("a", "b"));
}

TEST_F(PayloadLogTest, BytesAreLimitedToo) {
  options_.bytes_max = 10;
  state_.Hold();
  Start();
  Put("1234567");
  state_.WaitForBodies(1);
  Put("1234");
  Put("123");
  Put("12345678901");
  EXPECT_THAT(Page(), HasSubstr(Dropped("queue_full", 1)));
  EXPECT_THAT(Page(), HasSubstr(Dropped("too_large", 1)));
  EXPECT_THAT(Page(), HasSubstr("inferd_payload_log_waiting_bytes 10\n"));
  state_.Release();
  log_.reset();
  EXPECT_THAT(state_.bodies(), ElementsAre("1234567", "123"));
}

TEST_F(PayloadLogTest, WhatIsUnavailableIsTriedAgainSoManyTimes) {
  const base::Status away = base::Unavailable("away");
  state_.Answer({away, away, base::OkStatus(), away, away, away});
  Start();
  Put("a");
  Put("b");
  Put("c");
  state_.WaitForBodies(7);
  log_.reset();
  EXPECT_THAT(state_.bodies(), ElementsAre("a", "a", "a", "b", "b", "b", "c"));
  EXPECT_THAT(Page(), HasSubstr(Sent("request", 2)));
  EXPECT_THAT(Page(), HasSubstr(Dropped("failed", 1)));
}

TEST_F(PayloadLogTest, WhatIsRefusedIsNotTriedAgain) {
  state_.Answer({base::FailedPrecondition("answered 400")});
  Start();
  Put("a");
  Put("b");
  log_.reset();
  EXPECT_THAT(state_.bodies(), ElementsAre("a", "b"));
  EXPECT_THAT(Page(), HasSubstr(Dropped("refused", 1)));
}

TEST_F(PayloadLogTest, AtTheEndASinkThatIsAwayIsNotWaitedFor) {
  options_.attempts = 1;
  state_.Hold();
  state_.Answer({base::Unavailable("away")});
  Start();
  for (int i = 0; i < 5; ++i) Put("a");
  state_.WaitForBodies(1);
  std::thread ending([this] { log_.reset(); });
  // The first call is in flight, so that it ends when the log does.
  while (Page().find("inferd_payload_log_waiting 5\n") == std::string::npos) std::this_thread::yield();
  state_.Release();
  ending.join();
  const std::string page = Page();
  // The other payloads are dropped at once if the end came before the answer, and sent if it came after.
  EXPECT_THAT(page, HasSubstr(Dropped("failed", 1)));
  const size_t sent = registry_.CounterTotal("inferd_payload_log_sent_total");
  const size_t dropped = registry_.CounterTotal("inferd_payload_log_dropped_total");
  EXPECT_EQ(sent + dropped, 5u);
}

TEST_F(PayloadLogTest, TheEndComesThoughTheSinkIsSlow) {
  options_.drain_max = std::chrono::milliseconds(0);
  state_.Hold();
  Start();
  for (int i = 0; i < 5; ++i) Put("a");
  state_.WaitForBodies(1);
  std::thread releasing([this] { state_.Release(); });
  log_.reset();
  releasing.join();
  EXPECT_EQ(registry_.CounterTotal("inferd_payload_log_sent_total") +
                registry_.CounterTotal("inferd_payload_log_dropped_total"),
            5u);
}

TEST_F(PayloadLogTest, AThreadThatPausesTakesNoWakeUpOfAnIdleOne) {
  options_.workers = 2;
  options_.first_pause = std::chrono::seconds(20);
  options_.drain_max = std::chrono::milliseconds(0);
  state_.Answer({base::Unavailable("away")});
  Start();
  Put("away");
  state_.WaitForBodies(1);
  // The idle thread began to wait last, so that a wake-up for either thread reaches it last.
  for (size_t i = 1; i <= 20; ++i) {
    Put("there");
    while (registry_.CounterTotal("inferd_payload_log_sent_total") < i) std::this_thread::yield();
  }
  EXPECT_THAT(state_.bodies(), ::testing::Contains("away").Times(1)) << "the pause was over before all were sent";
}

TEST_F(PayloadLogTest, SeveralThreadsSend) {
  options_.workers = 3;
  state_.Hold();
  Start();
  Put("a");
  Put("b");
  Put("c");
  EXPECT_THAT(state_.WaitForBodies(3), UnorderedElementsAre("a", "b", "c"));
  state_.Release();
  log_.reset();
  EXPECT_THAT(Page(), HasSubstr(Sent("request", 3)));
}

}  // namespace
}  // namespace inferd::payloadlog
