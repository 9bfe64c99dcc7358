#include "serving/scheduling/instance_scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/scheduling_fixture.h"

namespace inferd::scheduling {
namespace {

using base::StatusCode;
using inferd::support::FakeEngine;
using ::testing::HasSubstr;

FakeEngine::Script Held(Gate& gate) {
  return {.on_load = {}, .on_execute = [&gate](core::Execution& execution) {
            gate.Enter();
            FakeEngine::Identity(execution);
          }};
}

TEST(InstanceSchedulerTest, AnswersWithTheEnginesOutput) {
  base::SystemClock clock;
  SchedulingFixture fixture(clock);
  const auto version = fixture.MakeVersion({});
  const core::InferResponse response = fixture.Send(fixture.Request(version, nullptr)).get();
  EXPECT_TRUE(response.status.ok()) << response.status.ToString();
  EXPECT_TRUE(response.final);
  EXPECT_EQ(response.model_name, "m");
  EXPECT_EQ(response.model_version, "1");
  EXPECT_EQ(response.id, "id");
  ASSERT_EQ(response.outputs.size(), 1u);
  EXPECT_EQ(response.outputs[0].name, "OUTPUT0");
  EXPECT_EQ(response.outputs[0].data.view(), "xxxxxxxx");
}

TEST(InstanceSchedulerTest, CountsWhatItDid) {
  base::SystemClock clock;
  SchedulingFixture fixture(clock);
  const auto version = fixture.MakeVersion({});
  for (int i = 0; i < 3; ++i) fixture.Send(fixture.Request(version, nullptr)).get();
  const core::ModelStatistics stats = version->statistics().Read();
  EXPECT_EQ(stats.success.count, 3u);
  EXPECT_EQ(stats.execution_count, 3u);
  EXPECT_EQ(stats.inference_count, 3u);
  EXPECT_EQ(version->statistics().pending(), 0);
  EXPECT_THAT(fixture.registry().PrometheusText(),
              HasSubstr("nv_inference_request_success{model=\"m\",version=\"1\"} 3"));
}

TEST(InstanceSchedulerTest, AFullQueueRefusesAndSaysWhenToRetry) {
  base::SystemClock clock;
  SchedulingFixture fixture(clock);
  Gate gate;
  const auto version = fixture.MakeVersion(Held(gate), {.queue_size_max = 2});
  std::vector<std::future<core::InferResponse>> accepted;
  accepted.push_back(fixture.Send(fixture.Request(version, nullptr)));
  gate.AwaitEntered(1);
  accepted.push_back(fixture.Send(fixture.Request(version, nullptr)));
  accepted.push_back(fixture.Send(fixture.Request(version, nullptr)));
  EXPECT_EQ(version->statistics().pending(), 2);
  const core::InferResponse refused = fixture.Send(fixture.Request(version, nullptr)).get();
  EXPECT_EQ(refused.status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(refused.status.message(), HasSubstr("Exceeds maximum queue size"));
  EXPECT_GT(refused.retry_after_ms, 0);
  gate.Open();
  for (auto& answer : accepted) EXPECT_TRUE(answer.get().status.ok());
  EXPECT_EQ(version->statistics().failures(core::FailureReason::kRejected), 1u);
}

TEST(InstanceSchedulerTest, AnExpiredRequestIsAnsweredWhileTheInstanceIsStillBusy) {
  base::FakeClock clock;
  SchedulingFixture fixture(clock);
  Gate gate;
  const auto version = fixture.MakeVersion(Held(gate));
  auto running = fixture.Send(fixture.Request(version, nullptr));
  gate.AwaitEntered(1);
  core::QueuedRequest timed = fixture.Request(version, nullptr);
  timed.request->timeout_us = 1000;
  core::QueuedRequest due = fixture.Request(version, nullptr);
  due.request->deadline_ns = clock.NowNs() + 2'000'000;
  auto first = fixture.Send(std::move(timed));
  auto second = fixture.Send(std::move(due));
  clock.AdvanceMs(1);
  fixture.deadlines().RunDue();
  const core::InferResponse expired = first.get();
  EXPECT_EQ(expired.status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(expired.status.message(), "Request timeout expired");
  clock.AdvanceMs(1);
  fixture.deadlines().RunDue();
  EXPECT_EQ(second.get().status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(version->statistics().pending(), 0);
  gate.Open();
  EXPECT_TRUE(running.get().status.ok());
  EXPECT_EQ(fixture.engine().executions(), 1);
}

TEST(InstanceSchedulerTest, ACancelledRequestNeverRuns) {
  base::SystemClock clock;
  SchedulingFixture fixture(clock);
  Gate gate;
  const auto version = fixture.MakeVersion(Held(gate));
  auto running = fixture.Send(fixture.Request(version, nullptr));
  gate.AwaitEntered(1);
  core::QueuedRequest queued = fixture.Request(version, nullptr);
  const auto flag = queued.request->cancel = std::make_shared<core::CancelFlag>();
  auto cancelled = fixture.Send(std::move(queued));
  flag->Cancel();
  gate.Open();
  EXPECT_EQ(cancelled.get().status.code(), StatusCode::kCancelled);
  EXPECT_TRUE(running.get().status.ok());
  EXPECT_EQ(version->statistics().failures(core::FailureReason::kCanceled), 1u);
}

TEST(InstanceSchedulerTest, AnExecutionThatStopsForTheDeadlineHasExceededIt) {
  base::FakeClock clock;
  SchedulingFixture fixture(clock);
  const auto version = fixture.MakeVersion({.on_load = {}, .on_execute = [&](core::Execution& execution) {
                                              clock.AdvanceMs(2);
                                              EXPECT_TRUE(execution.IsCancelled(0));
                                              execution.RespondAll({base::Cancelled("told to stop")});
                                              execution.Finish();
                                            }});
  core::QueuedRequest due = fixture.Request(version, nullptr);
  due.request->deadline_ns = clock.NowNs() + 1'000'000;
  EXPECT_EQ(fixture.Send(std::move(due)).get().status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(version->statistics().failures(core::FailureReason::kCanceled), 1u);
}

TEST(InstanceSchedulerTest, EveryInstanceRunsOneExecutionAtATime) {
  base::SystemClock clock;
  SchedulingFixture fixture(clock);
  Gate gate;
  const auto version = fixture.MakeVersion(Held(gate), {}, {}, 3);
  std::vector<std::future<core::InferResponse>> answers;
  for (int i = 0; i < 8; ++i) answers.push_back(fixture.Send(fixture.Request(version, nullptr)));
  gate.AwaitEntered(3);
  EXPECT_EQ(version->statistics().pending(), 5);
  gate.Open();
  for (auto& answer : answers) EXPECT_TRUE(answer.get().status.ok());
  EXPECT_EQ(fixture.engine().overlaps_max(), 1);
}

TEST(InstanceSchedulerTest, AnEngineErrorReachesTheClient) {
  base::SystemClock clock;
  SchedulingFixture fixture(clock);
  const auto version = fixture.MakeVersion({.on_load = {}, .on_execute = [](core::Execution& execution) {
                                              execution.RespondAll({base::InvalidArgument("too odd")});
                                              execution.Finish();
                                            }});
  const core::InferResponse response = fixture.Send(fixture.Request(version, nullptr)).get();
  EXPECT_EQ(response.status, base::InvalidArgument("too odd"));
  EXPECT_EQ(version->statistics().failures(core::FailureReason::kBackend), 1u);
}

TEST(InstanceSchedulerTest, AnEngineThatForgetsToAnswerIsInternal) {
  base::SystemClock clock;
  SchedulingFixture fixture(clock);
  const auto version = fixture.MakeVersion({.on_load = {}, .on_execute = [](core::Execution& e) { e.Finish(); }});
  EXPECT_EQ(fixture.Send(fixture.Request(version, nullptr)).get().status.code(), StatusCode::kInternal);
}

TEST(InstanceSchedulerTest, WrongOutputsOfAnEngineAreInternal) {
  base::SystemClock clock;
  SchedulingFixture fixture(clock);
  const auto version = fixture.MakeVersion({.on_load = {}, .on_execute = [](core::Execution& execution) {
                                              execution.RespondAll({base::OkStatus()});
                                              execution.Finish();
                                            }});
  const core::InferResponse response = fixture.Send(fixture.Request(version, nullptr)).get();
  EXPECT_EQ(response.status.code(), StatusCode::kInternal);
  EXPECT_EQ(response.status.message(), "the engine returned 0 outputs, expected 1");
}

TEST(InstanceSchedulerTest, OutputsComeInTheOrderAskedFor) {
  base::SystemClock clock;
  SchedulingFixture fixture(clock);
  FakeEngine::Script script;
  script.signature.outputs.push_back({.name = "OUTPUT1", .datatype = tensor::DataType::kInt32, .shape = {-1, -1}});
  const auto version = fixture.MakeVersion(script);
  core::QueuedRequest queued = fixture.Request(version, nullptr);
  queued.layout.outputs = {1, 0};
  const core::InferResponse response = fixture.Send(std::move(queued)).get();
  ASSERT_EQ(response.outputs.size(), 2u);
  EXPECT_EQ(response.outputs[0].name, "OUTPUT1");
  EXPECT_EQ(response.outputs[1].name, "OUTPUT0");
}

TEST(InstanceSchedulerTest, TheEngineMayNumberItsTensorsOtherwise) {
  base::SystemClock clock;
  SchedulingFixture fixture(clock);
  FakeEngine::Script script;
  script.signature.outputs.push_back({.name = "OUTPUT1", .datatype = tensor::DataType::kInt32, .shape = {-1, -1}});
  std::vector<int> seen;
  script.on_execute = [&](core::Execution& execution) {
    seen = execution.outputs;
    std::vector<core::InferTensor> tensors(2);
    tensors[0].shape = {1};
    tensors[1].shape = {2};
    execution.RespondAll({base::OkStatus(), std::move(tensors)});
    execution.Finish();
  };
  const auto version = fixture.MakeVersion(script, {}, {}, 1, {0}, {1, 0});
  const core::InferResponse response = fixture.Send(fixture.Request(version, nullptr)).get();
  EXPECT_EQ(seen, (std::vector<int>{0, 1}));
  ASSERT_EQ(response.outputs.size(), 2u);
  EXPECT_EQ(response.outputs[0].name, "OUTPUT0");
  EXPECT_EQ(response.outputs[0].shape, (tensor::Shape{2})) << "the engine's second is the client's first";
}

TEST(InstanceSchedulerTest, AnEngineMayAnswerSeveralTimesAndLater) {
  base::SystemClock clock;
  SchedulingFixture fixture(clock);
  std::promise<core::Execution*> handed_out;
  auto version = fixture.MakeVersion(
      {.on_load = {}, .on_execute = [&](core::Execution& execution) { handed_out.set_value(&execution); }});
  std::vector<bool> finals;
  core::QueuedRequest queued =
      fixture.Request(version, [&](core::InferResponse response) { finals.push_back(response.final); });
  auto& scheduler = version->scheduler();
  scheduler.Enqueue(std::move(queued));
  core::Execution* execution = handed_out.get_future().get();
  std::vector<core::InferTensor> tensors(1);
  tensors[0].shape = {1, 2};
  execution->Respond(0, {.outputs = tensors, .final = false});
  execution->Respond(0, {.outputs = tensors, .final = false});
  execution->Respond(0, {base::OkStatus()});
  execution->Finish();
  version.reset();
  fixture.AwaitEnded();
  EXPECT_EQ(finals, (std::vector<bool>{false, false, true}));
}

TEST(InstanceSchedulerTest, MisalignedInputIsCopiedAndCounted) {
  base::SystemClock clock;
  SchedulingFixture fixture(clock);
  FakeEngine::Script script;
  script.alignment = 64;
  const auto version = fixture.MakeVersion(script);
  fixture.Send(fixture.Request(version, nullptr)).get();
  EXPECT_EQ(version->statistics().input_copies(), 0u);
  core::QueuedRequest queued = fixture.Request(version, nullptr);
  queued.request->inputs[0].data = base::BufferSlice(base::Buffer::CopyOf("....yyyyyyyy")).Sub(4, 8);
  const core::InferResponse response = fixture.Send(std::move(queued)).get();
  EXPECT_EQ(response.outputs[0].data.view(), "yyyyyyyy");
  EXPECT_EQ(version->statistics().input_copies(), 1u);
}

// With a clock that stands still, an execution takes no time.
TEST(InstanceSchedulerTest, ATinyModelRunsOnTheCallingThread) {
  base::FakeClock clock;
  SchedulingFixture fixture(clock);
  std::thread::id ran_on;
  FakeEngine::Script script;
  script.on_execute = [&](core::Execution& execution) {
    ran_on = std::this_thread::get_id();
    FakeEngine::Identity(execution);
  };
  const auto version = fixture.MakeVersion(script);
  for (int i = 0; i < 1000 && version->statistics().inline_executions() == 0; ++i) {
    fixture.Send(fixture.Request(version, nullptr)).get();
  }
  EXPECT_EQ(ran_on, std::this_thread::get_id());
  EXPECT_GT(version->statistics().Read().execution_count, static_cast<uint64_t>(InlineGate::kSamplesMin));

  core::QueuedRequest with_parameters = fixture.Request(version, nullptr);
  with_parameters.request->parameters.emplace_back("delay_ms", int64_t{5});
  const uint64_t before = version->statistics().inline_executions();
  fixture.Send(std::move(with_parameters)).get();
  EXPECT_EQ(version->statistics().inline_executions(), before) << "parameters may make a fast model slow";
}

TEST(InstanceSchedulerTest, WhatTakesTooLongOnTheCallingThreadEndsOnTheInstances) {
  base::SystemClock clock;
  SchedulingFixture fixture(clock);
  FakeEngine::Script script;
  script.takes_long = [](core::Execution&) { return true; };
  script.on_execute = [here = std::this_thread::get_id()](core::Execution& execution) {
    EXPECT_NE(std::this_thread::get_id(), here);
    FakeEngine::Identity(execution);
  };
  config::ModelConfig config;
  config.inline_execution = config::InlineExecution::kAlways;
  const auto version = fixture.MakeModel(script, config, {}, 2);
  std::vector<std::future<core::InferResponse>> answers;
  for (int i = 0; i < 100; ++i) answers.push_back(fixture.Send(fixture.Request(version, nullptr)));
  for (auto& answer : answers) EXPECT_TRUE(answer.get().status.ok());
  EXPECT_GT(version->statistics().inline_executions(), 0u);
  EXPECT_EQ(fixture.engine().executions(), 100);
  EXPECT_EQ(fixture.engine().overlaps_max(), 1);
}

TEST(InstanceSchedulerTest, WhatTakesTooLongOnTheCallingThreadKeepsItsInstanceAlone) {
  base::FakeClock clock;
  SchedulingFixture fixture(clock);
  bool slow = true;
  FakeEngine::Script script;
  script.takes_long = [&](core::Execution&) { return std::exchange(slow, false); };
  config::ModelConfig config;
  config.inline_execution = config::InlineExecution::kAlways;
  const auto version = fixture.MakeModel(script, config, {.threads = false}, 2);
  auto first = fixture.Send(fixture.Request(version, nullptr));
  auto second = fixture.Send(fixture.Request(version, nullptr));
  EXPECT_TRUE(second.get().status.ok());
  EXPECT_EQ(version->scheduler().Report().busy_instances, 1);
  clock.AdvanceMs(3);
  EXPECT_TRUE(static_cast<InstanceScheduler&>(version->scheduler()).RunWoken());
  EXPECT_TRUE(first.get().status.ok());
  EXPECT_EQ(version->scheduler().Report().busy_instances, 0);
  const std::vector<core::BatchRecord> executions = version->scheduler().RecentExecutions();
  ASSERT_EQ(executions.size(), 2u);
  const core::BatchRecord& slow_one = executions[executions[0].service_ns == 0 ? 1 : 0];
  EXPECT_EQ(slow_one.service_ns, 3'000'000);
  EXPECT_TRUE(slow_one.on_loop);
}

TEST(InstanceSchedulerTest, ASlowModelNeverRunsOnTheCallingThread) {
  base::FakeClock clock;
  SchedulingFixture fixture(clock);
  const auto version = fixture.MakeVersion({.on_load = {}, .on_execute = [&](core::Execution& execution) {
                                              clock.AdvanceMs(1);
                                              FakeEngine::Identity(execution);
                                            }});
  for (int i = 0; i < 100; ++i) fixture.Send(fixture.Request(version, nullptr)).get();
  EXPECT_EQ(version->statistics().inline_executions(), 0u);
}

// Random clients: some cancel, some have deadlines that pass, and they release the version while requests are in
// flight.
TEST(InstanceSchedulerTest, EveryRequestIsAnsweredExactlyOnce) {
  const auto seed = static_cast<unsigned>(std::random_device{}());
  SCOPED_TRACE("seed " + std::to_string(seed));
  base::SystemClock clock;
  SchedulingFixture fixture(clock, true);
  const uint64_t dropped_before = core::DroppedCompletions();
  constexpr int kThreads = 4;
  constexpr int kRequests = 400;
  std::atomic<int> answers{0};
  std::atomic<int> duplicates{0};
  auto version = fixture.MakeVersion({}, {.queue_size_max = 16}, {}, 2);
  std::vector<std::thread> clients;
  for (int t = 0; t < kThreads; ++t) {
    clients.emplace_back([&, t, pin = version] {
      std::mt19937 random(seed + t);
      for (int i = 0; i < kRequests; ++i) {
        auto count = std::make_shared<std::atomic<int>>(0);
        core::QueuedRequest queued = fixture.Request(pin, [&, count](core::InferResponse) {
          if (++*count > 1) ++duplicates;
          ++answers;
        });
        queued.request->cancel = std::make_shared<core::CancelFlag>();
        const auto flag = queued.request->cancel;
        if (random() % 4 == 0) queued.request->timeout_us = 1 + random() % 50;
        if (random() % 4 == 0) queued.request->deadline_ns = clock.NowNs() + static_cast<int64_t>(random() % 20'000);
        if (random() % 8 == 0) queued.request->parameters.emplace_back("p", true);
        pin->scheduler().Enqueue(std::move(queued));
        if (random() % 4 == 0) flag->Cancel();
      }
    });
  }
  version.reset();
  for (auto& client : clients) client.join();
  fixture.AwaitEnded();
  EXPECT_EQ(answers.load(), kThreads * kRequests);
  EXPECT_EQ(duplicates.load(), 0);
  EXPECT_EQ(fixture.engine().overlaps_max(), 1);
  EXPECT_EQ(core::DroppedCompletions(), dropped_before);
  EXPECT_THAT(fixture.registry().PrometheusText(), ::testing::Not(HasSubstr("model=\"m\"")));
}

}  // namespace
}  // namespace inferd::scheduling
