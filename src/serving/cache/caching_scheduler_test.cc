#include "serving/cache/caching_scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "serving/cache/cache_fixture.h"
#include "serving/core/request/output_memory.h"
#include "tests/support/temp_dir.h"

namespace inferd::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CachingSchedulerTest : public ::testing::Test {
 protected:
  core::ResponseCallback Into(const std::string& name) {
    return [this, name](core::InferResponse&& response) {
      const std::string text = response.status.ok() ? std::string(response.outputs[0].data.view())
                                                    : std::string(base::StatusCodeName(response.status.code()));
      answers_.emplace_back(name, text);
    };
  }
  void Send(const std::string& name, std::string_view bytes, void (*change)(core::InferRequest&) = nullptr) {
    auto request = CachedModel::Request(bytes);
    request->id = name;
    if (change != nullptr) change(*request);
    model_.Send(std::move(request), Into(name));
  }
  // Answers the first request that is being executed.
  void Finish(base::Status status = base::OkStatus()) {
    ASSERT_FALSE(held_.empty());
    core::QueuedRequest queued = std::move(held_.front());
    held_.erase(held_.begin());
    if (!status.ok()) return queued.Fail(std::move(status));
    core::InferResponse response = AnswerOf(queued);
    queued.Answer(std::move(response));
  }
  std::vector<std::string> Held() const {
    std::vector<std::string> ids;
    for (const core::QueuedRequest& queued : held_) ids.push_back(queued.request->id);
    return ids;
  }
  std::vector<std::string> Answered() const {
    std::vector<std::string> names;
    for (const auto& [name, answer] : answers_) names.push_back(name);
    return names;
  }
  void TearDown() override {
    while (!held_.empty()) Finish();
  }

  base::FakeClock clock_;
  const KeySecret secret_;
  LocalStore store_{{.bytes_max = 1 << 20}, clock_};
  std::vector<core::QueuedRequest> held_;
  std::vector<std::pair<std::string, std::string>> answers_;  // the request's name; its description or status
  CachedModel model_{store_, secret_, clock_,
                     [this](core::QueuedRequest&& queued) { held_.push_back(std::move(queued)); }};
};

TEST_F(CachingSchedulerTest, TheSecondIsNotExecuted) {
  Send("first", "x");
  Finish();
  Send("second", "x");
  Send("other", "y");
  EXPECT_THAT(Held(), ElementsAre("other"));
  ASSERT_THAT(Answered(), ElementsAre("first", "second"));
  EXPECT_EQ(answers_[0].second, answers_[1].second);
}

// Triton's tests look for "Failed to insert key".
class TooLargeTest : public CachingSchedulerTest {
 protected:
  // The lines of the log about what does not fit into a cache of so many bytes. Two requests of `request_bytes` with an
  // answer that is larger than they are.
  std::vector<std::string> LinesOf(size_t cache_bytes, size_t request_bytes) {
    const support::TempDir folder;
    const std::filesystem::path file = folder.path() / "log";
    LocalStore small({.bytes_max = cache_bytes}, clock_);
    {
      CachedModel model(small, secret_, clock_, [](core::QueuedRequest&& queued) { queued.Answer(AnswerOf(queued)); });
      model.SetLogger(*base::Logger::Create({.format = base::LogFormat::kHuman, .file = file.string()}));
      model.Load();
      for (const char fill : {'a', 'b'}) {
        model.Send(CachedModel::Request(std::string(request_bytes, fill)),
                   [](core::InferResponse&& response) { EXPECT_TRUE(response.status.ok()); });
      }
    }
    std::vector<std::string> lines;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
};

TEST_F(TooLargeTest, AResponseIsNamedOnce) {
  EXPECT_THAT(LinesOf(2000, 1000),
              ElementsAre(HasSubstr("Failed to insert key into the response cache: a request with its response of ")));
}

TEST_F(TooLargeTest, ARequestIsNamedOnce) {
  EXPECT_THAT(LinesOf(2000, 5000),
              ElementsAre(HasSubstr("Failed to insert key into the response cache: a request of ")));
}

TEST_F(TooLargeTest, WhatFitsIsNotNamed) { EXPECT_THAT(LinesOf(1 << 20, 1000), IsEmpty()); }

TEST_F(CachingSchedulerTest, WhatIsKeptHoldsNoExecutionsBuffer) {
  bool freed = false;
  Send("first", "x");
  base::Buffer shared = base::Buffer::Allocate(1 << 20);
  shared.OnFree([&freed] { freed = true; });
  {
    core::InferResponse response;
    response.outputs.push_back({.name = "A",
                                .datatype = tensor::DataType::kUint8,
                                .shape = {3},
                                .data = {shared, shared.data(), 3},
                                .parameters = {{"p", int64_t{1}}}});
    response.parameters = {{"tokens", int64_t{3}}};
    shared = {};
    core::QueuedRequest queued = std::move(held_.front());
    held_.clear();
    queued.Answer(std::move(response));
  }
  EXPECT_TRUE(freed);
  core::InferResponse again;
  model_.Send(CachedModel::Request("x"), [&again](core::InferResponse&& answer) { again = std::move(answer); });
  EXPECT_EQ(again.parameters, (core::Parameters{{"tokens", int64_t{3}}}));
  EXPECT_EQ(again.outputs[0].parameters, (core::Parameters{{"p", int64_t{1}}}));
  EXPECT_EQ(again.model_version, "1");
  EXPECT_TRUE(again.final);
}

TEST_F(CachingSchedulerTest, HitsShareTheirBytes) {
  Send("first", "x");
  Finish();
  const std::byte* data[2] = {nullptr, nullptr};
  for (const std::byte*& each : data) {
    model_.Send(CachedModel::Request("x"),
                [&each](core::InferResponse&& answer) { each = answer.outputs[0].data.data(); });
  }
  EXPECT_NE(data[0], nullptr);
  EXPECT_EQ(data[0], data[1]);
}

// A client may change shared memory after the lookup.
TEST_F(CachingSchedulerTest, WhatIsExecutedIsWhatTheKeySays) {
  auto request = CachedModel::Request("x");
  base::Buffer memory = request->inputs[0].data.owner();
  model_.Send(std::move(request), Into("first"));
  memory.data()[0] = std::byte{'y'};
  Finish();
  EXPECT_THAT(answers_[0].second, HasSubstr("[1]x"));
}

TEST_F(CachingSchedulerTest, OutputsGoWhereTheRequestWantsThem) {
  base::Buffer memories[2] = {base::Buffer::Allocate(200), base::Buffer::Allocate(200)};
  for (base::Buffer& memory : memories) {
    auto request = CachedModel::Request("x");
    request->outputs = {{.name = "A", .parameters = {}, .memory = memory}};
    model_.Send(std::move(request),
                [&memory](core::InferResponse&& answer) { EXPECT_EQ(answer.outputs[0].data.data(), memory.data()); });
    if (!held_.empty()) {
      EXPECT_FALSE(core::NamesOutputMemory(*held_[0].request)) << "an engine would write what a client can change";
      Finish();
    }
  }
  EXPECT_EQ(model_.Statistics().cache_hit.count, 1u);
  EXPECT_EQ(std::memcmp(memories[0].data(), memories[1].data(), 10), 0);
}

TEST_F(CachingSchedulerTest, CountsAsTriton) {
  Send("first", "x");
  clock_.AdvanceNs(50);
  Finish();
  Send("second", "x");
  Send("third", "x");
  const core::ModelStatistics counted = model_.Statistics();
  EXPECT_EQ(counted.cache_hit.count, 2u);
  EXPECT_EQ(counted.cache_miss.count, 1u);
  EXPECT_EQ(counted.success.count, 2u) << "the one that was executed is counted by those that execute";
  EXPECT_EQ(counted.queue.count, 2u);
  EXPECT_EQ(counted.compute_infer.count, 0u);
  EXPECT_EQ(counted.inference_count, 0u);
}

TEST_F(CachingSchedulerTest, EqualOnesAtOnceAreExecutedOnce) {
  for (const char* name : {"a", "b", "c"}) Send(name, "x");
  Send("other", "y");
  EXPECT_THAT(Held(), ElementsAre("a", "other"));
  Finish();
  EXPECT_THAT(Answered(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(model_.Statistics().cache_hit.count, 2u);
}

TEST_F(CachingSchedulerTest, ACancelledLeaderIsFollowedByAnother) {
  for (const char* name : {"a", "b", "c"}) Send(name, "x");
  Finish(base::Cancelled("gone"));
  EXPECT_THAT(Held(), ElementsAre("b"));
  Finish(base::DeadlineExceeded("late"));
  EXPECT_THAT(Held(), ElementsAre("c"));
  Finish();
  ASSERT_THAT(Answered(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(answers_[0].second, "CANCELLED");
  EXPECT_THAT(answers_[2].second, HasSubstr("[1]x"));
}

TEST_F(CachingSchedulerTest, AnErrorIsNobodyElses) {
  for (const char* name : {"a", "b", "c"}) Send(name, "x");
  Finish(base::Internal("broken"));
  EXPECT_THAT(Held(), ElementsAre("b", "c"));
  EXPECT_THAT(Answered(), ElementsAre("a"));
  Finish(base::Internal("broken"));
  Finish();
  EXPECT_THAT(Answered(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(store_.figures().entries, 1u);
  Send("d", "x");
  EXPECT_THAT(Held(), IsEmpty());
}

// The model should give only one response, but gives several.
TEST_F(CachingSchedulerTest, OneOfSeveralResponsesIsNotKept) {
  Send("a", "x");
  Send("b", "x");
  for (const bool final : {false, true}) {
    core::InferResponse response = AnswerOf(held_.front());
    response.final = final;
    held_.front().Answer(std::move(response));
  }
  held_.erase(held_.begin());
  EXPECT_THAT(Answered(), ElementsAre("a", "a"));
  EXPECT_THAT(Held(), ElementsAre("b"));
  EXPECT_EQ(store_.figures().entries, 0u);
}

TEST_F(CachingSchedulerTest, AFollowerEndsAtItsOwnTime) {
  Send("a", "x");
  Send("b", "x", [](core::InferRequest& request) { request.deadline_ns = 1'000'500'000; });
  auto cancelled = CachedModel::Request("x");
  cancelled->cancel = std::make_shared<core::CancelFlag>();
  const auto cancel = cancelled->cancel;
  model_.Send(std::move(cancelled), Into("c"));
  Send("d", "x");
  model_.deadlines().RunDue();
  EXPECT_THAT(answers_, IsEmpty());
  clock_.AdvanceNs(500'000);
  model_.deadlines().RunDue();
  EXPECT_THAT(answers_, ElementsAre(std::pair("b", "DEADLINE_EXCEEDED")));
  cancel->Cancel();
  clock_.AdvanceMs(10);
  model_.deadlines().RunDue();
  EXPECT_THAT(Answered(), ElementsAre("b", "c"));
  EXPECT_EQ(answers_[1].second, "CANCELLED");
  EXPECT_EQ(model_.version()->statistics().failures(core::FailureReason::kCanceled), 1u);
  Finish();
  EXPECT_THAT(Answered(), ElementsAre("b", "c", "a", "d"));
}

TEST_F(CachingSchedulerTest, NoneWaitsForOneThatIsLessUrgentOrMayWaitForLonger) {
  config::DynamicBatching& batching = model_.config().dynamic_batching.emplace();
  batching.priority_levels = 3;
  batching.default_priority_level = 2;
  model_.Load();
  Send("a", "x");
  Send("urgent", "x", [](core::InferRequest& request) { request.priority = 1; });
  Send("brief", "x", [](core::InferRequest& request) { request.timeout_us = 5; });
  Send("patient", "x", [](core::InferRequest& request) { request.priority = 3; });
  Send("none", "x", [](core::InferRequest& request) { request.priority = 4; });
  EXPECT_THAT(Held(), ElementsAre("a", "urgent", "brief", "none"));
}

TEST_F(CachingSchedulerTest, WarmUpsAndSequencesPassBy) {
  for (int i = 0; i < 2; ++i) {
    core::QueuedRequest queued = model_.Queue(CachedModel::Request("x"), Into("w"));
    queued.warmup = true;
    core::Scheduler& scheduler = queued.version->scheduler();
    scheduler.Enqueue(std::move(queued));
    Finish();
  }
  EXPECT_EQ(store_.figures().entries, 0u);
  EXPECT_EQ(model_.Statistics().cache_miss.count, 0u);
}

TEST_F(CachingSchedulerTest, AReloadAsksAnew) {
  Send("a", "x");
  Finish();
  model_.Load();
  Send("b", "x");
  EXPECT_THAT(Held(), ElementsAre("b"));
}

TEST_F(CachingSchedulerTest, OrderIsPreservedWhereItIsAskedFor) {
  model_.config().dynamic_batching.emplace().preserve_ordering = true;
  model_.Load();
  Send("a", "x");
  Finish();
  Send("b", "y");
  Send("c", "x");
  EXPECT_THAT(Answered(), ElementsAre("a"));
  Finish();
  EXPECT_THAT(Answered(), ElementsAre("a", "b", "c"));
}

TEST_F(CachingSchedulerTest, EqualHashesAreNoEqualRequests) {
  const KeySecret nothing = KeySecret::ThatTellsNothing();
  std::vector<core::QueuedRequest> held;
  CachedModel model(store_, nothing, clock_,
                    [&held](core::QueuedRequest&& queued) { held.push_back(std::move(queued)); });
  int answered = 0;
  for (const std::string bytes : {"x", "y", "x"}) {
    model.Send(CachedModel::Request(bytes), [&answered, bytes](core::InferResponse&& answer) {
      ++answered;
      EXPECT_THAT(answer.outputs[0].data.view(), HasSubstr("[1]" + bytes));
    });
  }
  ASSERT_THAT(held, SizeIs(2));
  for (core::QueuedRequest& queued : held) {
    core::InferResponse response = AnswerOf(queued);
    queued.Answer(std::move(response));
  }
  EXPECT_EQ(answered, 3);
  held.clear();  // before the model
}

}  // namespace
}  // namespace inferd::cache
