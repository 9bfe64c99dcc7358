#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "tests/support/scheduling_fixture.h"

// The same promises as in the property tests, kept by threads: for the thread sanitizer. INFERD_PROPERTY_SECONDS says
// for how long.

namespace inferd::scheduling {
namespace {

using inferd::testing::FakeEngine;

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
  if (random() % 2 == 0) {
    config.instance_groups.emplace_back().count = 2;
    config.instance_groups[0].resources = {{.name = "R", .global = true, .count = 1}};
  }
  return config;
}

// Some clients cancel, some have deadlines that pass, executions fail now and then, and the clients let the version go
// while requests are in flight, which alone keep it then.
void Storm(unsigned seed, std::atomic<int64_t>& requests) {
  constexpr int kThreads = 4;
  constexpr int kRequests = 150;
  base::SystemClock clock;
  SchedulingFixture fixture(clock, true);
  std::mt19937 random(seed);
  std::atomic<unsigned> executions{0};
  std::atomic<int> answers{0};
  FakeEngine::Script script;
  script.signature.max_batch_size = 8;
  script.on_execute = [&](core::Execution& execution) {
    if (++executions % 16 != 0) return FakeEngine::Identity(execution);
    execution.RespondAll(base::Internal("now and then"), {});
    execution.Finish();
  };
  auto version = fixture.MakeModel(script, RandomModel(random), {.queue_size_max = 64}, 2);
  std::vector<std::thread> clients;
  for (int t = 0; t < kThreads; ++t) {
    clients.emplace_back([&, t, pin = version]() mutable {
      core::Scheduler& scheduler = pin->scheduler();
      std::mt19937 own(seed * kThreads + static_cast<unsigned>(t));
      for (int i = 0; i < kRequests; ++i) {
        const auto fill = static_cast<char>(own() % 120);
        const auto rows = static_cast<int64_t>(1 + own() % 3);
        const size_t columns = 1 + own() % 2;
        auto count = std::make_shared<std::atomic<int>>(0);
        if (own() % 32 == 0) scheduler.Report();
        // The last request has the last pin: it may take the scheduler with it before Enqueue returns.
        core::QueuedRequest queued = fixture.Request(
            i + 1 < kRequests ? pin : std::move(pin),
            [&answers, count, expected = std::string(static_cast<size_t>(rows) * columns * 4, fill)](
                core::InferResponse response) {
              EXPECT_EQ(++*count, 1) << "answered twice";
              if (response.status.ok()) {
                EXPECT_EQ(response.outputs[0].data.view(), expected) << "somebody else's answer";
              }
              ++answers;
            },
            columns, rows, fill);
        const auto flag = queued.request->cancel = std::make_shared<core::CancelFlag>();
        queued.request->priority = own() % 4;
        if (own() % 8 == 0) queued.request->timeout_us = 1 + own() % 200;
        if (own() % 8 == 0) queued.request->deadline_ns = clock.NowNs() + static_cast<int64_t>(own() % 200'000);
        scheduler.Enqueue(std::move(queued));
        if (own() % 8 == 0) flag->Cancel();
      }
    });
  }
  version.reset();
  for (auto& client : clients) client.join();
  fixture.AwaitEnded();
  EXPECT_EQ(answers.load(), kThreads * kRequests);
  EXPECT_LE(fixture.engine().overlaps_max(), 1);
  requests += kThreads * kRequests;
}

TEST(InstanceSchedulerStressTest, EverybodyGetsHisOwnAnswerOnceUnderThreads) {
  const char* seconds = std::getenv("INFERD_PROPERTY_SECONDS");
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(seconds == nullptr ? 1 : std::strtoll(seconds, nullptr, 10));
  const uint64_t dropped_before = core::DroppedCompletions();
  unsigned seed = std::random_device{}();
  int64_t runs = 0;
  std::atomic<int64_t> requests{0};
  do {
    SCOPED_TRACE("seed " + std::to_string(++seed));
    Storm(seed, requests);
    ++runs;
  } while (!HasFailure() && std::chrono::steady_clock::now() < end);
  EXPECT_EQ(core::DroppedCompletions(), dropped_before);
  RecordProperty("runs", std::to_string(runs));
  RecordProperty("requests", std::to_string(requests.load()));
}

}  // namespace
}  // namespace inferd::scheduling
