#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "serving/cache/cache_fixture.h"
#include "serving/cache/caching_scheduler.h"

// Clients on threads of their own draw requests that differ in one thing only, while responses are dropped (for lack of
// room or for their age), the version is replaced, executions fail and clients give up. No request ever gets another
// one's response, and each gets exactly one. INFERD_PROPERTY_SECONDS sets the duration. A failure names its seed.

namespace inferd::cache {
namespace {

using Random = std::mt19937_64;

constexpr uint64_t kClients = 4;
constexpr uint64_t kRequests = 400;  // per client
constexpr uint64_t kKinds = 60;      // so few that most repeat

template <typename Value>
Value OneOf(Random& random, std::initializer_list<Value> values) {
  return values.begin()[random() % values.size()];
}

bool OneIn(Random& random, uint64_t n) { return random() % n == 0; }

// Draws requests of which many differ in one thing only: a name, the shape, a byte, the outputs or a parameter.
std::unique_ptr<core::InferRequest> Draw(Random& random) {
  auto request = std::make_unique<core::InferRequest>();
  request->model_name = "m";
  const auto add = [&](const char* name) {
    const auto bytes = OneOf<std::string_view>(random, {"abcd", "abcd", "abce"});
    const bool flat = !OneIn(random, 8);
    const auto size = static_cast<int64_t>(bytes.size());
    request->inputs.push_back({.name = name,
                               .datatype = tensor::DataType::kUint8,
                               .shape = flat ? tensor::Shape{size} : tensor::Shape{size / 2, 2},
                               .data = base::BufferSlice(base::Buffer::CopyOf(bytes)),
                               .parameters = {}});
  };
  switch (random() % 4) {
    case 0: add("A"); break;
    case 1: add("B"); break;
    case 2: add("A"), add("B"); break;
    case 3: add("B"), add("A"); break;
  }
  switch (random() % 8) {
    default: break;
    case 1: request->outputs = {{.name = "A"}}; break;
    case 2: request->outputs = {{.name = "A"}, {.name = "B"}}; break;
    case 3: request->outputs = {{.name = "B"}, {.name = "A"}}; break;
  }
  if (OneIn(random, 8)) request->parameters = {{"p", OneOf<core::ParameterValue>(random, {int64_t{1}, true, 1.0})}};
  return request;
}

struct Trial {
  explicit Trial(uint64_t run_seed) : seed(run_seed), random(run_seed) {}

  void Execute(core::QueuedRequest&& queued) {
    pool->Post([this, dice = Dice(), queued = std::make_shared<core::QueuedRequest>(std::move(queued))] {
      if (dice % 3 == 0) std::this_thread::yield();
      executed.fetch_add(1);
      if (queued->request->cancel != nullptr && queued->request->cancel->cancelled()) {
        return queued->Fail(base::Cancelled("gone"));
      }
      if (dice % 11 == 0) return queued->Fail(base::Internal("broken"));
      core::InferResponse response = AnswerOf(*queued);
      queued->Answer(std::move(response));
    });
  }
  uint64_t Dice() {
    base::MutexLock lock(mutex);
    return random();
  }

  void Client(CachedModel& model, uint64_t number) {
    Random own(seed * 31 + number);
    for (uint64_t i = 0; i < kRequests; ++i) {
      std::shared_ptr<const core::ModelVersion> version;
      {
        base::MutexLock lock(mutex);
        if (OneIn(own, 300)) model.Load();
        version = model.version();
      }
      if (OneIn(own, 5)) clock.AdvanceNs(1 + static_cast<int64_t>(own() % 1000));
      Random picked(seed * 1000 + own() % kKinds);
      auto request = Draw(picked);
      request->id = std::to_string(own());
      if (OneIn(own, 4)) request->timeout_us = 1 + own() % 1000;
      if (OneIn(own, 6)) request->cancel = std::make_shared<core::CancelFlag>();
      const auto cancel = request->cancel;
      const auto answered = std::make_shared<std::atomic<int>>(0);
      const std::string id = request->id;
      const auto expected = std::make_shared<std::string>();
      core::QueuedRequest queued = model.Queue(
          std::move(request),
          [this, answered, expected, id](core::InferResponse&& response) {
            if (response.status.ok()) {
              if (response.outputs.size() != 1 || response.outputs[0].data.view() != *expected || response.id != id) {
                wrong.fetch_add(1);
              }
              good.fetch_add(1);
            }
            answered->fetch_add(1);
            open.fetch_sub(1);
          },
          version);
      *expected = Describe(queued);
      core::Scheduler& scheduler = version->scheduler();
      version.reset();
      open.fetch_add(1);
      scheduler.Enqueue(std::move(queued));
      if (cancel != nullptr && OneIn(own, 2)) cancel->Cancel();
      if (OneIn(own, 4)) continue;
      while (answered->load() == 0) std::this_thread::yield();
      if (answered->load() != 1) wrong.fetch_add(1);
    }
  }

  const uint64_t seed;
  base::Mutex mutex;
  Random random;
  base::FakeClock clock;
  std::atomic<uint64_t> executed{0}, good{0}, wrong{0};
  std::atomic<int64_t> open{0};  // requests without an answer
  std::unique_ptr<base::ThreadPool> pool = std::make_unique<base::ThreadPool>("executes", 2);
};

TEST(CachingSchedulerPropertyTest, NobodyGetsAnothersAnswer) {
  const char* const text = std::getenv("INFERD_PROPERTY_SECONDS");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(text == nullptr ? 2 : std::atoi(text));
  uint64_t requests = 0, executions = 0, runs = 0;
  for (uint64_t seed = 1; seed == 1 || std::chrono::steady_clock::now() < end; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const KeySecret secret = OneIn(random, 3) ? KeySecret::ThatTellsNothing() : KeySecret();
    Trial run(seed);
    LocalStore store({.bytes_max = OneOf<size_t>(random, {3'000, 20'000, 1 << 20}),
                      .ttl_ns = OneOf<int64_t>(random, {0, 0, 500, 5'000})},
                     run.clock);
    {
      CachedModel model(
          store, secret, run.clock, [&run](core::QueuedRequest&& queued) { run.Execute(std::move(queued)); }, true);
      if (OneIn(random, 4)) {
        model.config().dynamic_batching.emplace().preserve_ordering = true;
        model.Load();
      }
      std::vector<std::thread> clients;
      for (uint64_t number = 0; number < kClients; ++number) {
        clients.emplace_back([&run, &model, number] { run.Client(model, number); });
      }
      for (std::thread& client : clients) client.join();
      // All versions must be released before the executor that retires them is destroyed.
      while (run.open.load() > 0) std::this_thread::yield();
      run.pool.reset();
    }
    ASSERT_EQ(run.wrong.load(), 0u);
    EXPECT_LE(store.figures().bytes, store.bytes_max());
    requests += run.good.load();
    executions += run.executed.load();
    ++runs;
  }
  EXPECT_LT(executions, runs * kClients * kRequests) << "nothing was kept";
  RecordProperty("requests", std::to_string(requests));
  std::cout << runs << " runs, " << requests << " good answers, " << executions << " executions\n";
}

}  // namespace
}  // namespace inferd::cache
