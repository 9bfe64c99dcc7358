#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <random>

#include "serving/scheduling/instance_scheduler.h"
#include "serving/scheduling/simulated_engine_fixture.h"

// Random models with random clients, a clock that stands still between steps, and only this thread. For every
// interleaving of requests, cancels, timeouts, executions, failures, reloads and the model's end: every request gets
// exactly one final response, its own, and the promises about sizes, kinds, order, bounds and waiting hold.
// INFERD_PROPERTY_SECONDS sets the duration. A failure names its seed, and INFERD_PROPERTY_SEED runs that one alone.

namespace inferd::scheduling {
namespace {

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}

// A connections' thread. Tasks from other threads run in its next turn, later, or never if it has ended.
class SimulatedLoop final : public base::Executor {
 public:
  explicit SimulatedLoop(Dice& dice) : dice_(dice) {}

  void Post(base::Task task) override {
    ++posted_;
    tasks_.push_back(std::move(task));
  }
  // Returns false if there was nothing to run.
  bool RunOne() {
    if (tasks_.empty()) return false;
    base::Task task = std::move(tasks_.front());
    tasks_.pop_front();
    base::Turn turn({}, true, nullptr, this);
    const base::Turn::Scope here(turn);
    if (!dice_.OneIn(8)) task();
    task = nullptr;
    End(turn);
    return true;
  }
  static void End(base::Turn& turn) {
    for (turn.End(); turn.continues(); turn.End()) turn.Begin();
  }
  bool hangs() const { return !tasks_.empty(); }
  int64_t posted() const { return posted_; }

 private:
  Dice& dice_;
  std::deque<base::Task> tasks_;
  int64_t posted_ = 0;
};

// One model, loaded once or more, from its first load to the end of its last.
class Simulation {
 public:
  explicit Simulation(uint64_t seed) : dice_(seed) { Reload(); }

  void Run() {
    for (int64_t steps = dice_.Below(80); steps > 0; --steps) Step();
    // Requests that are held until more arrive need more.
    for (int more = 0; loads_.back().holds && more < 1000; ++more) {
      Send();
      Settle();
      engine_.FinishOne();
    }
    version_ = nullptr;  // the clients' requests keep it
    for (int rounds = 0; AnyLives(); ++rounds) {
      if (rounds == 1000) GiveUp();
      Settle();
      engine_.FinishOne();
      clock_.AdvanceMs(20);
      fixture_.deadlines().RunDue();
    }
    EXPECT_EQ(clients_.all_open(), 0);
    while (engine_.keeps_any()) engine_.FinishOne();
    EXPECT_EQ(core::DroppedCompletions(), dropped_before_);
  }

  int64_t requests() const { return clients_.size(); }
  int64_t loads() const { return static_cast<int64_t>(loads_.size()); }
  int64_t given_back() const { return loop_.posted(); }

 private:
  struct Load {
    InstanceScheduler* scheduler = nullptr;
    std::weak_ptr<const core::ModelVersion> version;  // the scheduler exists as long as it does
    bool holds = false;
  };
  static constexpr int kDepthMax = 4;    // of nested executions
  static constexpr int kPlenty = 1'000;  // of the resource: while this thread waits, none could be given back

  void Step() {
    switch (dice_.Below(9)) {
      case 0:
      case 1:
      case 2:
      case 3: return Send();
      case 8: return depth_ == 0 ? SendInOneTurn() : Send();  // several per execution would never end
      case 4: return clients_.CancelOne();
      case 5: return clock_.AdvanceNs((dice_.OneIn(2) ? 100'000 : 1'000'000) * dice_.Below(12));
      case 6: return depth_ == 0 && dice_.OneIn(2) ? FinishInATurn() : engine_.FinishOne();
      default: return dice_.OneIn(8) ? Reload() : Settle();
    }
  }

  // Does nothing after the model's end, or while the previous load holds requests, which would then wait for ever.
  void Reload() {
    if (!loads_.empty() && (loads_.back().holds || version_ == nullptr)) return;
    support::FakeEngine::Script script{.signature = model_.signature(), .on_load = {}, .on_execute = {}};
    script.unfinished_executions_max = model_.unfinished_max();
    script.executions_ahead = model_.executions_ahead();
    script.returns_at_once = model_.returns_at_once();
    script.on_execute = [this](core::Execution& execution) { Execute(execution); };
    script.takes_long = [this](core::Execution&) { return dice_.OneIn(4); };
    version_ = fixture_.MakeModel(script, model_.config(), model_.options(), model_.instances());
    loads_.push_back({static_cast<InstanceScheduler*>(&version_->scheduler()), version_, model_.holds()});
  }

  void Send() {
    if (version_ == nullptr) return;
    const auto version = version_;
    clients_.Send(version, loads_.size() - 1);
  }

  void SendInOneTurn() {
    base::Turn turn({}, true, nullptr, &loop_);
    const base::Turn::Scope here(turn);
    for (int64_t left = dice_.Below(6); left >= 0; --left) {
      const base::Turn::More more(&turn, left > 0 || dice_.OneIn(4));
      Send();
    }
    SimulatedLoop::End(turn);
  }

  // Finishes an execution on a connections' thread that has waited for the engine.
  void FinishInATurn() {
    base::Turn turn({}, true, nullptr, &loop_);
    const base::Turn::Scope here(turn);
    engine_.FinishOne();
    SimulatedLoop::End(turn);
  }

  void Execute(core::Execution& execution) {
    const size_t load = engine_.Begin(execution);
    const bool warmup = clients_.at(std::stoul(execution.request(0).id)).warmup;
    loads_[load].holds = loads_[load].holds && warmup;  // warm-ups are not held
    ++depth_;
    if (depth_ < kDepthMax) {
      for (int64_t steps = dice_.Below(4); steps > 0; --steps) Step();
    }
    --depth_;
    engine_.End(execution, load);
  }

  bool AnyLives() const {
    return std::ranges::any_of(loads_, [](const Load& load) { return !load.version.expired(); });
  }

  // Ends the process, as the fixture would wait for ever for the version's end.
  [[noreturn]] static void GiveUp() {
    ADD_FAILURE() << "a request is never answered";
    std::abort();
  }

  // The last response releases the version. Without open requests, a part of a failed request may still be there.
  bool RunWoken(size_t load) {
    const auto pin = clients_.open(load) > 0 ? nullptr : loads_[load].version.lock();
    return (clients_.open(load) > 0 || pin != nullptr) && loads_[load].scheduler->RunWoken();
  }

  // Returns false if nothing ran, and time did not advance.
  bool RunWhatIsReady() {
    fixture_.deadlines().RunDue();
    bool ran = false;
    for (size_t load = 0; load < loads_.size(); ++load) {
      while (RunWoken(load)) ran = true;
    }
    // The loop sometimes hangs.
    while (depth_ == 0 && !dice_.OneIn(16) && loop_.RunOne()) ran = true;
    return ran;
  }

  // Runs everything that is ready. Afterwards no request may wait without a reason, unless a thread hangs.
  void Settle() {
    while (RunWhatIsReady() && depth_ == 0) {
    }
    if (depth_ > 0 || loop_.hangs()) return;
    for (size_t load = 0; load < loads_.size(); ++load) {
      if (const auto pin = loads_[load].version.lock(); pin != nullptr) Check(load);
    }
  }

  void Check(size_t load) const {
    const core::SchedulerReport report = loads_[load].scheduler->Report();
    for (const auto& level : report.levels) {
      EXPECT_TRUE(!model_.bounds_queues() || level.requests <= level.size_max) << level.requests;
    }
    if (model_.config().concurrency.max > 0) CheckLimit(load, report.concurrency);
    if (!loads_[load].holds && report.busy_instances < report.instances) CheckWaiting(load, report);
  }

  void CheckLimit(size_t load, const core::SchedulerReport::Concurrency& limit) const {
    const int64_t in_flight = std::ranges::count_if(clients_.all(), [load](const auto& client) {
      return client->load == load && !client->answered && !client->warmup;
    });
    EXPECT_EQ(limit.in_flight, in_flight);
    EXPECT_LE(limit.in_flight, limit.max);
    EXPECT_GE(limit.limit, limit.min);
    EXPECT_LE(limit.limit, limit.max);
  }

  // Checks the queue while an instance is idle.
  void CheckWaiting(size_t load, const core::SchedulerReport& report) const {
    int64_t rows = 0;
    for (const auto& client : clients_.all()) {
      if (client->load != load || !client->waits(clock_.NowNs())) continue;
      EXPECT_LT(clock_.NowNs() - client->sent_ns, report.delay_ns) << "has waited for longer than the batch delay";
      rows += client->shape[0];
    }
    EXPECT_TRUE(rows == 0 || rows < model_.rows_max()) << rows << " rows wait for more";
    // The parts of a failed request leave the queue a little later.
    if (report.delay_ns > 0 || model_.signature().splits_larger_requests) return;
    for (const auto& level : report.levels) EXPECT_EQ(level.requests, 0) << "there is nothing to wait for";
  }

  const uint64_t dropped_before_ = core::DroppedCompletions();
  Dice dice_;
  const SimulatedModel model_{dice_};
  base::FakeClock clock_;
  SchedulingFixture fixture_{clock_, false, {.limits = {{.name = "R", .count = kPlenty}}}};
  SimulatedClients clients_{model_, dice_, clock_, fixture_};
  SimulatedEngine engine_{model_, dice_, clients_};
  SimulatedLoop loop_{dice_};
  std::vector<Load> loads_;
  std::shared_ptr<const core::ModelVersion> version_;
  int depth_ = 0;
};

TEST(InstanceSchedulerPropertyTest, EverybodyGetsHisOwnAnswerOnce) {
  const int64_t only = FromEnvironment("INFERD_PROPERTY_SEED", -1);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(FromEnvironment("INFERD_PROPERTY_SECONDS", 2));
  const auto first = only >= 0 ? static_cast<uint64_t>(only) : uint64_t{std::random_device{}()} << 20;
  int64_t models = 0;
  int64_t loads = 0;
  int64_t requests = 0;
  int64_t given_back = 0;
  do {
    const uint64_t seed = first + static_cast<uint64_t>(models++);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Simulation simulation(seed);
    simulation.Run();
    loads += simulation.loads();
    requests += simulation.requests();
    given_back += simulation.given_back();
    ASSERT_FALSE(HasFailure());
  } while (only < 0 && std::chrono::steady_clock::now() < end);
  std::cout << models << " models, " << loads << " loads, " << requests << " requests, " << given_back
            << " executions given back to connections' threads\n";
}

}  // namespace
}  // namespace inferd::scheduling
