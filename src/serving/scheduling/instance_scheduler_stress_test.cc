#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <random>
#include <utility>

#include "tests/support/scheduling_fixture.h"

// The promises of the property tests, with real threads, for the thread sanitizer. INFERD_PROPERTY_SECONDS sets the
// duration.

namespace inferd::scheduling {
namespace {

using inferd::support::FakeEngine;

constexpr int kThreads = 4;
constexpr int kRequests = 150;  // per thread
constexpr int64_t kRowsMax = 8;

config::ModelConfig RandomModel(std::mt19937& random) {
  config::ModelConfig config;
  config::DynamicBatching& batching = config.dynamic_batching.emplace();
  batching.preserve_ordering = random() % 4 == 0;
  batching.max_queue_delay_us = random() % 2 == 0 ? 200 : 0;
  if (random() % 2 == 0) batching.preferred_batch_sizes = {4};
  if (!batching.preserve_ordering) {
    batching.priority_levels = 3;
    batching.default_priority_level = 2;
  }
  config.side_effect_free = random() % 2 == 0;
  config.eager_batching = random() % 2 == 0;
  if (random() % 2 == 0) config.batching = config::BatchingMode::kAuto;
  if (random() % 2 == 0) config.concurrency = {.min = 2, .max = 64};
  if (random() % 2 == 0) config.allowed_batch_sizes = {2, 4, kRowsMax};
  if (random() % 2 == 0) {
    config.padding.push_back(
        {.input = "INPUT0", .dim = 0, .buckets = {2}, .value = 0, .outputs = {{.name = "OUTPUT0", .dim = 0}}});
  }
  if (random() % 2 == 0) {
    config.instance_groups.emplace_back().count = 2;
    config.instance_groups[0].resources = {{.name = "R", .global = true, .count = 1}};
  }
  return config;
}

// A connections' thread that works in turns. Other threads may call Post(), but nothing else.
class StormLoop final : public base::Executor {
 public:
  void Post(base::Task task) override {
    base::MutexLock lock(mutex_);
    ++posted_;
    if (!ended_) return tasks_.push_back(std::move(task));
    lock.unlock();
    task = nullptr;
  }
  void RunTurn() {
    turn_.Begin();
    for (base::Task& task : Take(false)) task();
    turn_.End();
  }
  // Ends the loop. Tasks that are posted later are destroyed unrun.
  void End() {
    do RunTurn();
    while (turn_.continues());
    Take(true);
  }
  base::Turn& turn() { return turn_; }
  int64_t posted() {
    base::MutexLock lock(mutex_);
    return posted_;
  }

 private:
  std::vector<base::Task> Take(bool ends) {
    base::MutexLock lock(mutex_);
    ended_ = ended_ || ends;
    return std::exchange(tasks_, {});
  }

  base::Turn turn_{"storm", true, nullptr, this};
  base::Mutex mutex_;
  bool ended_ GUARDED_BY(mutex_) = false;
  int64_t posted_ GUARDED_BY(mutex_) = 0;
  std::vector<base::Task> tasks_ GUARDED_BY(mutex_);
};

// Some clients cancel, some have deadlines that pass, and executions fail now and then. The clients release the version
// while requests are in flight, which then keep it alive: half of them midway, to reload it.
class Storm {
 public:
  explicit Storm(unsigned seed) : seed_(seed), random_(seed), config_(RandomModel(random_)) {
    script_.signature.max_batch_size = kRowsMax;
    script_.signature.splits_larger_requests = random_() % 2 == 0;
    script_.on_execute = [this](core::Execution& execution) { Execute(execution); };
    script_.takes_long = [this](core::Execution&) { return executions_ % 8 == 0; };
    script_.returns_at_once = random_() % 2 == 0;
    script_.computes_elsewhere = random_() % 2 == 0;
    if (random_() % 2 == 0) script_.executions_ahead = 1;
  }

  void Run() {
    auto first = Load();
    auto second = Load();
    std::vector<std::thread> clients;
    for (int t = 0; t < kThreads; ++t) {
      clients.emplace_back([this, t, first, second]() mutable {
        std::mt19937 random(seed_ * kThreads + static_cast<unsigned>(t));
        StormLoop& loop = loops_[static_cast<size_t>(t)];
        const base::Turn::Scope here(loop.turn());
        SendMany(random, loop, std::move(first));
        SendMany(random, loop, std::move(second));
        loop.End();
      });
    }
    first.reset();
    second.reset();
    for (auto& client : clients) client.join();
    fixture_.AwaitEnded();
    EXPECT_EQ(answers_.load(), kThreads * kRequests);
    EXPECT_LE(fixture_.engine().overlaps_max(), 1);
  }
  int64_t given_back() {
    int64_t all = 0;
    for (StormLoop& loop : loops_) all += loop.posted();
    return all;
  }

 private:
  std::shared_ptr<const core::ModelVersion> Load() {
    return fixture_.MakeModel(script_, config_, {.queue_size_max = 64}, 2);
  }

  void Execute(core::Execution& execution) {
    const unsigned number = ++executions_;
    // An engine thread finishes it, after the engine's call has returned.
    if (script_.returns_at_once && number % 4 == 0) {
      return engine_thread_.Post([&execution] { FakeEngine::Identity(execution); });
    }
    if (number % 16 != 1) return FakeEngine::Identity(execution);
    execution.RespondAll({base::Internal("now and then")});
    execution.Finish();
  }

  // The last request holds the last reference: the scheduler may be destroyed before Enqueue returns.
  void SendMany(std::mt19937& random, StormLoop& loop, std::shared_ptr<const core::ModelVersion> version) {
    core::Scheduler& scheduler = version->scheduler();
    for (int left = kRequests / 2; left > 0; --left) {
      if (random() % 4 == 0) loop.RunTurn();
      if (random() % 32 == 0) CheckBounds(scheduler.Report());
      Send(random, scheduler, left > 1 ? version : std::move(version));
    }
  }

  void CheckBounds(const core::SchedulerReport& report) const {
    for (const auto& level : report.levels) {
      // A repeated request is queued even in a full queue.
      EXPECT_TRUE(config_.side_effect_free || level.requests <= level.size_max) << level.requests;
    }
    // A request that replaces another one is counted before that one is answered.
    EXPECT_TRUE(report.concurrency.max == 0 || report.concurrency.in_flight <= report.concurrency.max + kThreads);
  }

  void Send(std::mt19937& random, core::Scheduler& scheduler, std::shared_ptr<const core::ModelVersion> version) {
    const auto fill = static_cast<char>(random() % 120);
    const bool larger = script_.signature.splits_larger_requests && random() % 16 == 0;
    const auto rows = static_cast<int64_t>(1 + random() % 3) + (larger ? kRowsMax : 0);
    const size_t columns = 1 + random() % 2;
    auto count = std::make_shared<std::atomic<int>>(0);
    core::QueuedRequest queued = fixture_.Request(
        std::move(version),
        [this, count,
         expected = std::string(static_cast<size_t>(rows) * columns * 4, fill)](core::InferResponse response) {
          EXPECT_EQ(++*count, 1) << "answered twice";
          if (response.status.ok()) {
            EXPECT_EQ(response.outputs[0].data.view(), expected) << "another request's answer";
          }
          ++answers_;
        },
        columns, rows, fill);
    const auto flag = queued.request->cancel = std::make_shared<core::CancelFlag>();
    queued.request->priority = random() % 4;
    if (random() % 8 == 0) queued.request->timeout_us = 1 + random() % 200;
    if (random() % 8 == 0) queued.request->deadline_ns = clock_.NowNs() + static_cast<int64_t>(random() % 200'000);
    scheduler.Enqueue(std::move(queued));
    if (random() % 8 == 0) flag->Cancel();
  }

  const unsigned seed_;
  std::mt19937 random_;
  const config::ModelConfig config_;
  FakeEngine::Script script_;
  base::SystemClock clock_;
  std::atomic<unsigned> executions_{0};
  std::atomic<int> answers_{0};
  std::array<StormLoop, kThreads> loops_;
  SchedulingFixture fixture_{clock_, true};
  base::ThreadPool engine_thread_{"engine", 1};
};

TEST(InstanceSchedulerStressTest, EverybodyGetsHisOwnAnswerOnceUnderThreads) {
  const char* seconds = std::getenv("INFERD_PROPERTY_SECONDS");
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::seconds(seconds == nullptr ? 1 : std::strtoll(seconds, nullptr, 10));
  const uint64_t dropped_before = core::DroppedCompletions();
  unsigned seed = std::random_device{}();
  int64_t models = 0;
  int64_t given_back = 0;
  do {
    SCOPED_TRACE("seed " + std::to_string(++seed));
    Storm storm(seed);
    storm.Run();
    given_back += storm.given_back();
    ++models;
  } while (!HasFailure() && std::chrono::steady_clock::now() < end);
  EXPECT_EQ(core::DroppedCompletions(), dropped_before);
  std::cout << models << " models, " << 2 * models << " loads, " << models * kThreads * kRequests << " requests, "
            << given_back << " executions given back to connections' threads\n";
}

}  // namespace
}  // namespace inferd::scheduling
