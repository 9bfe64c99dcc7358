#include "serving/scheduling/sequence_scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <thread>

#include "tests/support/scheduling_fixture.h"

namespace inferd::scheduling {
namespace sequence_scheduler_test {

using inferd::support::FakeEngine;
using ::testing::HasSubstr;

config::ModelConfig Oldest(int32_t candidates) {
  config::ModelConfig config;
  auto& batching = config.sequence_batching.emplace();
  batching.strategy = config::SequenceStrategy::kOldest;
  batching.max_candidate_sequences = candidates;
  return config;
}

class SequenceSchedulerTest : public ::testing::Test {
 protected:
  std::shared_ptr<const core::ModelVersion> Make(FakeEngine::Script script, config::ModelConfig config,
                                                 int instances = 1) {
    script.signature.max_batch_size = 4;
    script.signature.sequences = true;
    return fixture_.MakeModel(std::move(script), std::move(config), {}, instances);
  }

  std::future<core::InferResponse> Send(const std::shared_ptr<const core::ModelVersion>& version,
                                        core::Sequence sequence, int64_t rows = 1) {
    core::QueuedRequest queued = fixture_.Request(version, nullptr, 2, rows);
    queued.request->sequence = std::move(sequence);
    return fixture_.Send(std::move(queued));
  }

  base::SystemClock clock_;
  SchedulingFixture fixture_{clock_, true};
};

TEST_F(SequenceSchedulerTest, SequencesShareExecutionsAndRequestsOfOneDoNot) {
  Gate gate;
  base::Mutex mutex;
  std::vector<std::vector<uint64_t>> executions;
  FakeEngine::Script script;
  script.on_execute = [&](core::Execution& execution) {
    {
      base::MutexLock lock(mutex);
      auto& ids = executions.emplace_back();
      for (size_t i = 0; i < execution.rows.size(); ++i) {
        ids.push_back(std::get<uint64_t>(execution.request(i).sequence.id));
      }
    }
    gate.Enter();
    FakeEngine::Identity(execution);
  };
  config::ModelConfig config = Oldest(4);
  config.inline_execution = config::InlineExecution::kNever;
  const auto version = Make(script, config);
  std::vector<std::future<core::InferResponse>> answers;
  answers.push_back(Send(version, {.id = uint64_t{1}, .start = true}));
  gate.AwaitEntered(1);
  for (const bool start : {true, false}) {
    for (uint64_t id = 2; id <= 4; ++id) answers.push_back(Send(version, {.id = id, .start = start, .end = !start}));
  }
  EXPECT_EQ(version->scheduler().Report().sequences.active, 4);
  EXPECT_EQ(version->scheduler().Report().sequences.waiting, 3);
  EXPECT_EQ(version->statistics().pending(), 6);
  gate.Open();
  for (auto& answer : answers) EXPECT_TRUE(answer.get().status.ok());
  const core::SchedulerReport report = version->scheduler().Report();
  EXPECT_EQ(report.sequences.strategy, "oldest");
  EXPECT_EQ(report.sequences.slots, 4);
  EXPECT_EQ(report.sequences.active, 1);
  EXPECT_EQ(report.sequences.begun, 4u);
  EXPECT_EQ(report.sequences.ended, 3u);
  EXPECT_EQ(version->statistics().pending(), 0);
  const std::string page = fixture_.registry().PrometheusText();
  EXPECT_THAT(page, HasSubstr("inferd_sequences_active{model=\"m\",version=\"1\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("inferd_sequences_ended_total{model=\"m\",version=\"1\",how=\"END\"} 3\n"));
  base::MutexLock lock(mutex);
  EXPECT_EQ(executions, (std::vector<std::vector<uint64_t>>{{1}, {2, 3, 4}, {2, 3, 4}}));
}

TEST_F(SequenceSchedulerTest, ASequenceStaysOnItsInstance) {
  base::Mutex mutex;
  std::map<uint64_t, std::set<std::thread::id>> threads;
  FakeEngine::Script script;
  script.on_execute = [&](core::Execution& execution) {
    {
      base::MutexLock lock(mutex);
      for (size_t i = 0; i < execution.rows.size(); ++i) {
        threads[std::get<uint64_t>(execution.request(i).sequence.id)].insert(std::this_thread::get_id());
      }
    }
    FakeEngine::Identity(execution);
  };
  config::ModelConfig config = Oldest(2);
  config.inline_execution = config::InlineExecution::kNever;
  const auto version = Make(script, config, 3);
  for (int step = 0; step < 20; ++step) {
    std::vector<std::future<core::InferResponse>> answers;
    for (uint64_t id = 1; id <= 6; ++id) answers.push_back(Send(version, {.id = id, .start = step == 0}));
    for (auto& answer : answers) EXPECT_TRUE(answer.get().status.ok());
  }
  base::MutexLock lock(mutex);
  std::set<std::thread::id> all;
  for (const auto& [id, own] : threads) {
    EXPECT_EQ(own.size(), 1u) << id;
    all.insert(own.begin(), own.end());
  }
  EXPECT_EQ(all.size(), 3u);
}

TEST_F(SequenceSchedulerTest, SequencesKeepAVersionThatLeaves) {
  config::ModelConfig config = Oldest(4);
  config.sequence_batching->max_idle_us = 3'600'000'000;
  auto version = Make({}, config);
  const std::weak_ptr<const core::ModelVersion> lives = version;
  core::Scheduler& scheduler = version->scheduler();
  EXPECT_TRUE(Send(version, {.id = uint64_t{1}, .start = true}).get().status.ok());
  EXPECT_TRUE(Send(version, {.id = uint64_t{2}, .start = true}).get().status.ok());
  scheduler.KeepForSequences(std::move(version), clock_.NowNs() + 3'600'000'000'000);
  EXPECT_TRUE(scheduler.HasSequence({.id = uint64_t{1}}));
  EXPECT_FALSE(scheduler.HasSequence({.id = uint64_t{3}}));
  EXPECT_TRUE(Send(lives.lock(), {.id = uint64_t{1}, .end = true}).get().status.ok());
  EXPECT_FALSE(lives.expired());
  scheduler.EndSequence({.id = uint64_t{2}});
  fixture_.AwaitEnded();
  EXPECT_TRUE(lives.expired()) << "with its last sequence";
}

TEST_F(SequenceSchedulerTest, SequencesKeepAVersionForSoLong) {
  config::ModelConfig config = Oldest(4);
  config.sequence_batching->max_idle_us = 3'600'000'000;
  auto version = Make({}, config);
  core::Scheduler& scheduler = version->scheduler();
  EXPECT_TRUE(Send(version, {.id = uint64_t{1}, .start = true}).get().status.ok());
  scheduler.KeepForSequences(std::move(version), clock_.NowNs() + 1'000'000);
  fixture_.AwaitEnded();
}

config::ModelConfig Direct(float utilization = 0, uint64_t delay_us = 0) {
  config::ModelConfig config;
  auto& batching = config.sequence_batching.emplace();
  batching.minimum_slot_utilization = utilization;
  batching.max_queue_delay_us = delay_us;
  config.inline_execution = config::InlineExecution::kNever;
  return config;
}

// Records the rows of direct executions: their ids, 0 for a row without a request.
class DirectRows final {
 public:
  FakeEngine::Script Script() {
    FakeEngine::Script script;
    script.on_execute = [this](core::Execution& execution) {
      {
        base::MutexLock lock(mutex_);
        auto& ids = executions_.emplace_back();
        for (size_t i = 0; i < execution.rows.size(); ++i) {
          const auto id = std::get<uint64_t>(execution.request(i).sequence.id);
          ids.push_back(id);
          EXPECT_EQ(id == 0, execution.FillsUp(i));
          EXPECT_EQ(id == 0, execution.IsCancelled(i));
        }
      }
      FakeEngine::Identity(execution);
    };
    return script;
  }
  std::vector<std::vector<uint64_t>> Take() {
    base::MutexLock lock(mutex_);
    return std::exchange(executions_, {});
  }

 private:
  base::Mutex mutex_;
  std::vector<std::vector<uint64_t>> executions_;
};

TEST_F(SequenceSchedulerTest, DirectKeepsRowsAndFillsUpTheIdleOnes) {
  DirectRows rows;
  const auto version = Make(rows.Script(), Direct());
  for (uint64_t id = 11; id <= 13; ++id) {
    EXPECT_TRUE(Send(version, {.id = id, .start = true}).get().status.ok());
  }
  EXPECT_EQ(rows.Take(), (std::vector<std::vector<uint64_t>>{{11}, {0, 12}, {0, 0, 13}}));
  EXPECT_TRUE(Send(version, {.id = uint64_t{12}, .end = true}).get().status.ok());
  EXPECT_TRUE(Send(version, {.id = uint64_t{14}, .start = true}).get().status.ok());
  const core::InferResponse last = Send(version, {.id = uint64_t{13}}).get();
  EXPECT_EQ(last.outputs.at(0).shape, (tensor::Shape{1, 2}));
  EXPECT_EQ(last.outputs[0].data.view(), "xxxxxxxx");
  EXPECT_EQ(rows.Take(), (std::vector<std::vector<uint64_t>>{{0, 12}, {0, 14}, {0, 0, 13}}));
  SchedulingFixture::AwaitIdle(*version);
  const core::SchedulerReport report = version->scheduler().Report();
  EXPECT_EQ(report.sequences.strategy, "direct");
  EXPECT_EQ(report.sequences.slots, 4);
  EXPECT_EQ(report.rows_max, 4);
  EXPECT_EQ(version->scheduler().RecentExecutions().back().requests, 1);
  const core::ModelStatistics statistics = version->statistics().Read();
  EXPECT_EQ(statistics.success.count, 6u) << "idle rows are no requests";
  EXPECT_EQ(statistics.inference_count, 6u);
  std::map<uint64_t, uint64_t> batches;
  for (const auto& batch : statistics.batches) batches[batch.batch_size] = batch.compute_infer.count;
  EXPECT_EQ(batches, (std::map<uint64_t, uint64_t>{{1, 1}, {2, 3}, {3, 2}})) << "but rows of an execution";
}

TEST_F(SequenceSchedulerTest, DirectWaitsForAShareOfTheRows) {
  DirectRows rows;
  const auto version = Make(rows.Script(), Direct(0.5, 3'600'000'000));
  auto first = Send(version, {.id = uint64_t{11}, .start = true});
  auto second = Send(version, {.id = uint64_t{12}, .start = true});
  EXPECT_TRUE(first.get().status.ok());
  EXPECT_TRUE(second.get().status.ok());
  EXPECT_EQ(rows.Take(), (std::vector<std::vector<uint64_t>>{{11, 12}}));
  const auto hasty = Make(rows.Script(), Direct(1, 1000));
  EXPECT_TRUE(Send(hasty, {.id = uint64_t{11}, .start = true}).get().status.ok()) << "for as long as it may wait";
}

TEST_F(SequenceSchedulerTest, DirectAnswersWhatIsGivenUpInItsRow) {
  DirectRows rows;
  config::ModelConfig config = Direct(1, 3'600'000'000);
  config.queue_policy.default_timeout_us = 1000;
  const auto version = Make(rows.Script(), config);
  EXPECT_EQ(Send(version, {.id = uint64_t{11}, .start = true}).get().status,
            base::DeadlineExceeded("Request timeout expired"));
  EXPECT_EQ(version->scheduler().Report().sequences.active, 0);
  EXPECT_EQ(version->statistics().pending(), 0);
}

TEST_F(SequenceSchedulerTest, DirectRunsShapesThatDifferOneAfterTheOther) {
  DirectRows rows;
  const auto version = Make(rows.Script(), Direct(1, 0));
  Gate gate;
  std::vector<std::future<core::InferResponse>> answers;
  for (uint64_t id = 11; id <= 14; ++id) {
    core::QueuedRequest queued = fixture_.Request(version, nullptr, id % 2 == 0 ? 2 : 3, 1);
    queued.request->sequence = {.id = id, .start = true};
    answers.push_back(fixture_.Send(std::move(queued)));
  }
  for (uint64_t id = 11; id <= 14; ++id) {
    EXPECT_EQ(answers[id - 11].get().outputs.at(0).shape[1], id % 2 == 0 ? 2 : 3);
  }
}

TEST_F(SequenceSchedulerTest, AStreamGoesOnBehindAResponseWhoseStateIsWrong) {
  FakeEngine::Script script;
  script.signature.decoupled = true;
  script.signature.inputs.push_back({.name = "STATE_IN", .datatype = tensor::DataType::kInt32, .shape = {-1, -1}});
  script.signature.outputs.push_back({.name = "STATE_OUT", .datatype = tensor::DataType::kInt32, .shape = {-1, -1}});
  script.on_execute = [](core::Execution& execution) {
    for (const size_t state_columns : {3, 2}) {
      core::EngineResponse response{.final = false};
      for (const size_t columns : {size_t{2}, state_columns}) {
        core::InferTensor& output = response.outputs.emplace_back();
        output.datatype = tensor::DataType::kInt32;
        output.shape = {1, static_cast<int64_t>(columns)};
        output.data = base::BufferSlice(base::Buffer::CopyOf(std::string(columns * 4, 'x')));
      }
      execution.Respond(0, std::move(response));
    }
    execution.Respond(0, {});
    execution.Finish();
  };
  config::ModelConfig config = Oldest(1);
  config.sequence_batching->states.push_back({.input = "STATE_IN",
                                              .output = "STATE_OUT",
                                              .datatype = tensor::DataType::kInt32,
                                              .dims = {2},
                                              .initial_dims = {2},
                                              .initial_file = ""});
  const auto version = Make(script, config);
  std::string got;
  std::promise<void> done;
  core::QueuedRequest queued = fixture_.Request(version, [&](core::InferResponse&& response) {
    got += std::string(base::StatusCodeName(response.status.code())) + (response.final ? " last" : " more, ");
    if (response.final) done.set_value();
  });
  queued.request->sequence = {.id = uint64_t{1}, .start = true};
  version->scheduler().Enqueue(std::move(queued));
  done.get_future().get();
  EXPECT_EQ(got, "INTERNAL more, OK more, OK last");
  EXPECT_EQ(version->scheduler().Report().sequences.active, 1);
}

TEST_F(SequenceSchedulerTest, ManyRequestsOfOneSequenceTakeNoMoreStack) {
  for (const auto inlined : {config::InlineExecution::kAlways, config::InlineExecution::kNever}) {
    Gate gate;
    FakeEngine::Script script;
    std::atomic<bool> first{true};
    script.on_execute = [&](core::Execution& execution) {
      if (first.exchange(false)) gate.Enter();
      FakeEngine::Identity(execution);
    };
    config::ModelConfig config = Oldest(1);
    config.inline_execution = inlined;
    config.queue_policy.queue_size_max = 100'000;
    const auto version = Make(script, config);
    std::vector<std::future<core::InferResponse>> answers(5000);  // a recursion of this depth needs more than 8 MB
    std::thread other([&] { answers[0] = Send(version, {.id = uint64_t{1}, .start = true}); });
    gate.AwaitEntered(1);
    for (size_t i = 1; i < answers.size(); ++i) answers[i] = Send(version, {.id = uint64_t{1}});
    gate.Open();
    other.join();
    for (auto& answer : answers) ASSERT_TRUE(answer.get().status.ok());
    EXPECT_EQ(version->statistics().Read().success.count, answers.size());
  }
}

TEST_F(SequenceSchedulerTest, WhatIsRefusedIsCounted) {
  const auto version = Make({}, Oldest(1));
  const core::InferResponse response = Send(version, {.id = uint64_t{7}}).get();
  EXPECT_EQ(response.status,
            base::InvalidArgument("inference request for sequence 7 to model 'm' must specify the START flag on the "
                                  "first request of the sequence"));
  EXPECT_EQ(version->statistics().failures(core::FailureReason::kRejected), 1u);
  EXPECT_EQ(version->scheduler().Report().sequences.refused, 1u);
}

TEST_F(SequenceSchedulerTest, WhatIsForgottenFreesItsPlaceByItself) {
  config::ModelConfig config = Oldest(1);
  config.sequence_batching->max_idle_us = 1000;
  const auto version = Make({}, config);
  EXPECT_TRUE(Send(version, {.id = uint64_t{1}, .start = true}).get().status.ok());
  EXPECT_TRUE(Send(version, {.id = uint64_t{2}, .start = true, .end = true}).get().status.ok());
  EXPECT_EQ(version->scheduler().Report().sequences.idled, 1u);
}

TEST_F(SequenceSchedulerTest, WarmUpsAreWholeSequencesOnEachInstance) {
  base::Mutex mutex;
  int warmups = 0;
  FakeEngine::Script script;
  script.on_execute = [&](core::Execution& execution) {
    {
      base::MutexLock lock(mutex);
      const core::Sequence& sequence = execution.request(0).sequence;
      warmups += sequence.start && sequence.end && sequence.named() ? 1 : 0;
    }
    FakeEngine::Identity(execution);
  };
  const auto version = Make(script, Oldest(1), 2);
  for (int i = 0; i < 2; ++i) {
    core::QueuedRequest queued = fixture_.Request(version, nullptr, 2, 3);
    queued.warmup = true;
    EXPECT_TRUE(fixture_.Send(std::move(queued)).get().status.ok());
  }
  EXPECT_EQ(version->scheduler().Report().sequences.begun, 0u);
  SchedulingFixture::AwaitIdle(*version);
  for (const core::BatchRecord& record : version->scheduler().RecentExecutions()) EXPECT_EQ(record.requests, 1);
  EXPECT_EQ(version->scheduler().RecentExecutions().size(), 2u);
  base::MutexLock lock(mutex);
  EXPECT_EQ(warmups, 2);
}

}  // namespace sequence_scheduler_test
}  // namespace inferd::scheduling
