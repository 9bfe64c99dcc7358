#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <random>

#include "scheduling/instance_scheduler.h"
#include "tests/support/scheduling_fixture.h"

// Random models under random clients, with a clock that stands still between steps and no thread but this one: whatever
// the interleaving of requests, cancels, timeouts, executions, failures and the model's end, everybody gets one final
// answer, his own, and what was promised about sizes, kinds, order and waiting holds. INFERD_PROPERTY_SECONDS says for
// how long; a failure names its seed, and INFERD_PROPERTY_SEED runs that one alone.

namespace inferd::scheduling {
namespace {

using inferd::testing::FakeEngine;

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}

// One version, its clients and its engine, from its load to its end.
class Simulation {
 public:
  explicit Simulation(uint64_t seed) : random_(seed) { MakeModel(); }

  void Run() {
    for (int64_t steps = Below(80); steps > 0; --steps) Step();
    // Those that are held back for more to come need more.
    for (int more = 0; holding_ && more < 1000; ++more) {
      Send();
      Settle();
    }
    holding_ = false;
    version_ = nullptr;  // the clients' requests keep it
    for (int rounds = 0; answered_ < static_cast<int64_t>(clients_.size()); ++rounds) {
      ASSERT_LT(rounds, 1000) << "somebody is never answered";
      Settle();
      FinishHeld();
      fixture_.clock.AdvanceMs(20);
      fixture_.version.deadlines().RunDue();
    }
    while (!held_.empty()) FinishHeld();
    EXPECT_EQ(core::DroppedCompletions(), dropped_before_);
  }

  int64_t requests() const { return static_cast<int64_t>(clients_.size()); }

 private:
  struct Client {
    std::string bytes;
    tensor::Shape shape;
    uint64_t level = 1;
    int64_t final_answers = 0;
    bool started = false;
    std::shared_ptr<core::CancelFlag> cancel;
  };

  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  bool OneIn(int64_t n) { return Below(n) == 0; }

  config::QueuePolicy MakePolicy(bool may_delay) {
    config::QueuePolicy policy;
    if (OneIn(2)) policy.queue_size_max = static_cast<uint32_t>(1 + Below(12));
    if (OneIn(2)) policy.default_timeout_us = static_cast<uint64_t>(1000 * Below(30));
    policy.allow_timeout_override = OneIn(2);
    if (may_delay && OneIn(2)) policy.timeout_action = config::TimeoutAction::kDelay;
    return policy;
  }

  void MakeModel() {
    config::ModelConfig& config = config_;
    rows_max_ = 1 + Below(8);
    if (OneIn(4)) {
      config.queue_policy = MakePolicy(true);
    } else {
      config::DynamicBatching& batching = config.dynamic_batching.emplace();
      batching.preserve_ordering = OneIn(3);
      batching.max_queue_delay_us = OneIn(2) ? static_cast<uint64_t>(1000 * Below(10)) : 0;
      for (int64_t i = Below(3); i > 0; --i) {
        batching.preferred_batch_sizes.push_back(static_cast<int32_t>(1 + Below(rows_max_)));
      }
      batching.default_queue_policy = MakePolicy(!batching.preserve_ordering);
      if (!batching.preserve_ordering && OneIn(2)) {
        batching.priority_levels = static_cast<uint64_t>(1 + Below(3));
        batching.default_priority_level = 1;
        batching.priority_queue_policy[batching.priority_levels] = MakePolicy(true);
      }
    }
    if (OneIn(3)) {
      for (int64_t rows = 1 + Below(rows_max_); rows <= rows_max_; rows += 1 + Below(4)) {
        config.allowed_batch_sizes.push_back(rows);
      }
    }
    config.side_effect_free = OneIn(2);
    config.eager_batching = OneIn(3);
    config.inline_execution = static_cast<config::InlineExecution>(Below(3));
    SchedulerOptions options{.queue_size_max = static_cast<uint32_t>(1 + Below(40)), .threads = false};
    if (OneIn(8)) options.delay_until_queued = 1 + Below(4);
    holding_ = options.delay_until_queued > 0 && config.dynamic_batching.has_value();
    FakeEngine::Script script;
    script.signature.max_batch_size = rows_max_;
    script.signature.accepts_larger_requests = OneIn(2);
    script.on_execute = [this](core::Execution& execution) { Execute(execution); };
    batching_ = config.dynamic_batching.has_value() && rows_max_ > 1;
    instances_ = static_cast<int>(1 + Below(3));
    version_ = fixture_.version.MakeModel(script, config, options, instances_);
    scheduler_ = static_cast<InstanceScheduler*>(&version_->scheduler());
  }

  void Step() {
    switch (Below(9)) {
      case 0:
      case 1:
      case 2:
      case 3: return Send();
      case 8: return depth_ == 0 ? SendInOneTurn() : Send();  // more than one per execution would never end
      case 4: return CancelSomebody();
      case 5: return fixture_.clock.AdvanceNs(1'000'000 * Below(12));
      case 6: return FinishHeld();
      default: return Settle();
    }
  }

  void Send() {
    if (version_ == nullptr) return;
    const bool larger = version_->signature().accepts_larger_requests && OneIn(8);
    const int64_t rows = larger ? rows_max_ + 1 + Below(4) : 1 + Below(rows_max_);
    const auto columns = static_cast<size_t>(1 + Below(2));
    const size_t number = clients_.size();
    Client& client = *clients_.emplace_back(std::make_unique<Client>());
    core::QueuedRequest queued = fixture_.version.Request(
        version_, [this, number](core::InferResponse response) { Answered(number, std::move(response)); }, columns,
        rows, static_cast<char>('a' + number % 26));
    queued.request->id = std::to_string(number);
    client.bytes = std::string(queued.request->inputs[0].data.view());
    client.shape = queued.request->inputs[0].shape;
    if (OneIn(3)) client.cancel = queued.request->cancel = std::make_shared<core::CancelFlag>();
    if (OneIn(4)) queued.request->timeout_us = static_cast<uint64_t>(1000 * Below(20));
    if (OneIn(6)) queued.request->deadline_ns = fixture_.clock.NowNs() + 1'000'000 * (1 + Below(20));
    if (OneIn(6)) queued.request->parameters.emplace_back("p", true);
    queued.request->priority = static_cast<uint64_t>(Below(4));
    client.level = LevelOf(*queued.request);
    queued.warmup = OneIn(30) && client.level != 0;
    if (queued.warmup) client.level = 0;
    scheduler_->Enqueue(std::move(queued));
  }

  // 0: the request is refused.
  uint64_t LevelOf(const core::InferRequest& request) const {
    const auto level = PriorityLevel(config_, request.priority);
    if (!level.has_value()) return 0;
    return CheckTimeout(PolicyOf(config_, *level), request.timeout_us, "m").ok() ? *level : 0;
  }

  void SendInOneTurn() {
    base::Turn turn;
    const base::Turn::Scope here(turn);
    for (int64_t left = Below(6); left >= 0; --left) {
      const base::Turn::More more(&turn, left > 0 || OneIn(4));
      Send();
    }
    for (turn.End(); turn.continues(); turn.End()) turn.Begin();
  }

  void CancelSomebody() {
    if (clients_.empty()) return;
    Client& client = *clients_[static_cast<size_t>(Below(static_cast<int64_t>(clients_.size())))];
    if (client.cancel != nullptr) client.cancel->Cancel();
  }

  // Everything that is ready happens; then nothing may wait that need not.
  void Settle() {
    if (answered_ == static_cast<int64_t>(clients_.size())) return;
    fixture_.version.deadlines().RunDue();
    while (answered_ < static_cast<int64_t>(clients_.size()) && scheduler_->RunWoken()) {
    }
    if (depth_ > 0 || version_ == nullptr || holding_) return;
    const core::SchedulerReport report = scheduler_->Report();
    if (report.busy_instances == report.instances || report.delay_ns > 0) return;
    for (const auto& level : report.levels) EXPECT_EQ(level.requests, 0) << "an instance is idle";
  }

  void Execute(core::Execution& execution) {
    CheckMembers(execution);
    ++depth_;
    if (depth_ < 4) {
      for (int64_t steps = Below(4); steps > 0; --steps) Step();
    }
    --depth_;
    if (OneIn(8)) {
      held_.push_back(&execution);
    } else {
      Finish(execution);
    }
  }

  void CheckMembers(core::Execution& execution) {
    int64_t rows = 0;
    size_t members = 0;
    for (size_t i = 0; i < execution.request_count(); ++i) {
      const core::InferRequest& request = execution.request(i);
      if (i > 0 && &request == &execution.request(i - 1)) {
        EXPECT_EQ(i + 1, execution.request_count()) << "padding is not last";
        rows += execution.rows[i];
        break;
      }
      ++members;
      const size_t number = std::stoul(request.id);
      rows += execution.rows[i];
      EXPECT_EQ(request.inputs[0].shape[1], execution.request(0).inputs[0].shape[1]) << "kinds are mixed";
      CheckOrder(number, request);
      clients_[number]->started = true;
      holding_ = holding_ && clients_[number]->level == 0;  // warm-ups are not held
    }
    EXPECT_TRUE(execution.request_count() == 1 || rows <= rows_max_) << rows << " rows";
    EXPECT_TRUE(members == 1 || batching_);
    EXPECT_EQ(rows, execution.inputs[0].shape[0]);
    const auto& allowed = config_.allowed_batch_sizes;
    EXPECT_TRUE(allowed.empty() || rows > allowed.back() || std::ranges::binary_search(allowed, rows))
        << rows << " rows";
  }

  // Of one level and kind, whoever came first runs first; but for those that are alone, delayed or tried again. Of
  // several instances, one may begin later with what it took earlier.
  void CheckOrder(size_t number, const core::InferRequest& request) {
    const Client& client = *clients_[number];
    if (instances_ > 1 || client.level == 0 || client.started || client.shape[0] > rows_max_ || MayDelay()) return;
    size_t& latest = latest_[{client.level, request.inputs[0].shape[1]}];
    EXPECT_GE(number + 1, latest) << "overtaken";
    latest = number + 1;
  }
  bool MayDelay() const {
    if (!config_.dynamic_batching.has_value())
      return config_.queue_policy.timeout_action == config::TimeoutAction::kDelay;
    const auto delays = [](const config::QueuePolicy& policy) {
      return policy.timeout_action == config::TimeoutAction::kDelay;
    };
    const auto& policies = config_.dynamic_batching->priority_queue_policy;
    return delays(config_.dynamic_batching->default_queue_policy) ||
           std::ranges::any_of(policies, [&](const auto& p) { return delays(p.second); });
  }

  void FinishHeld() {
    if (held_.empty()) return;
    const auto it = held_.begin() + Below(static_cast<int64_t>(held_.size()));
    core::Execution& execution = **it;
    held_.erase(it);
    Finish(execution);
  }

  void Finish(core::Execution& execution) {
    switch (Below(10)) {
      case 0: execution.RespondAll(base::Internal("all failed"), {}); break;
      case 1: break;  // forgets to answer
      case 2:
        for (size_t i = 0; i < execution.request_count(); ++i)
          execution.Respond(i, base::Internal("it failed"), {}, true);
        break;
      default: return FakeEngine::Identity(execution);
    }
    execution.Finish();
  }

  void Answered(size_t number, core::InferResponse response) {
    Client& client = *clients_[number];
    ASSERT_TRUE(response.final);
    EXPECT_EQ(++client.final_answers, 1) << "answered twice";
    ++answered_;
    EXPECT_EQ(response.id, std::to_string(number));
    const bool in_order = config_.dynamic_batching.has_value() && config_.dynamic_batching->preserve_ordering;
    const bool was_queued = response.status.code() != base::StatusCode::kResourceExhausted && client.level != 0;
    if (in_order && was_queued) {
      EXPECT_GE(number + 1, answered_until_) << "out of order";
      answered_until_ = number + 1;
    }
    if (!response.status.ok()) return;
    EXPECT_EQ(response.outputs[0].data.view(), client.bytes) << "somebody else's answer";
    EXPECT_EQ(response.outputs[0].shape, client.shape);
  }

  const uint64_t dropped_before_ = core::DroppedCompletions();
  struct Fixture {
    base::FakeClock clock;
    SchedulingFixture version{clock};
  };

  std::mt19937_64 random_;
  config::ModelConfig config_;
  bool batching_ = false;
  int instances_ = 1;
  int64_t rows_max_ = 1;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<core::Execution*> held_;
  std::map<std::pair<uint64_t, int64_t>, size_t> latest_;
  size_t answered_until_ = 0;
  int64_t answered_ = 0;
  int depth_ = 0;
  bool holding_ = false;
  Fixture fixture_;
  InstanceScheduler* scheduler_ = nullptr;
  std::shared_ptr<const core::ModelVersion> version_;
};

TEST(InstanceSchedulerPropertyTest, EverybodyGetsHisOwnAnswerOnce) {
  const int64_t only = FromEnvironment("INFERD_PROPERTY_SEED", -1);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(FromEnvironment("INFERD_PROPERTY_SECONDS", 2));
  const auto first = only >= 0 ? static_cast<uint64_t>(only) : uint64_t{std::random_device{}()} << 20;
  int64_t runs = 0;
  int64_t requests = 0;
  do {
    const uint64_t seed = first + static_cast<uint64_t>(runs++);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Simulation simulation(seed);
    simulation.Run();
    requests += simulation.requests();
    ASSERT_FALSE(HasFailure());
  } while (only < 0 && std::chrono::steady_clock::now() < end);
  RecordProperty("runs", std::to_string(runs));
  RecordProperty("requests", std::to_string(requests));
}

}  // namespace
}  // namespace inferd::scheduling
