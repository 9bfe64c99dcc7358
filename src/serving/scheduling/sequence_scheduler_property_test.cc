#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <map>
#include <random>
#include <span>

#include "base/clock.h"
#include "serving/scheduling/sequence_scheduler.h"
#include "serving/scheduling/simulated_model_fixture.h"
#include "tests/support/scheduling_fixture.h"

// Random sequences of random models, with a clock that stands still between steps, and only this thread. The engine
// adds up the numbers of each sequence. A simple model predicts every response: the sum of all requests that were
// answered OK since the last START. Nothing is lost, mixed or out of order, whatever is cancelled, timed out, failed or
// restarted in between. For some models the scheduler keeps the sum, as a state of fixed or growing size, and some have
// a request executed several times. INFERD_PROPERTY_SECONDS sets the duration. A failure names its seed, and
// INFERD_PROPERTY_SEED runs that one alone.

namespace inferd::scheduling {
namespace sequence_scheduler_property_test {

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}

struct Sent {
  uint64_t id = 0;
  int32_t number = 0;
  bool start = false;
  bool end = false;
  std::shared_ptr<core::CancelFlag> cancel;
  bool answered = false;
  base::Status status;
  int32_t sum = 0;
};

class Simulation {
 public:
  explicit Simulation(uint64_t seed) : dice_(seed) {
    config::ModelConfig config;
    auto& batching = config.sequence_batching.emplace();
    direct_ = dice_.OneIn(2);
    batching.strategy = direct_ ? config::SequenceStrategy::kDirect : config::SequenceStrategy::kOldest;
    if (direct_ && dice_.OneIn(2)) batching.minimum_slot_utilization = static_cast<float>(dice_.Below(11)) / 10;
    batching.max_candidate_sequences = static_cast<int32_t>(1 + dice_.Below(4));
    batching.max_idle_us = static_cast<uint64_t>(1 + dice_.Below(100)) * 1000;
    if (dice_.OneIn(3)) batching.max_queue_delay_us = static_cast<uint64_t>(dice_.Below(5000));
    if (dice_.OneIn(3)) batching.preferred_batch_sizes = {2};
    batching.preserve_ordering = dice_.OneIn(3);
    if (dice_.OneIn(3)) config.queue_policy.queue_size_max = static_cast<uint32_t>(1 + dice_.Below(8));
    if (dice_.OneIn(3)) config.queue_policy.default_timeout_us = static_cast<uint64_t>(1 + dice_.Below(30)) * 1000;
    config.inline_execution = static_cast<config::InlineExecution>(dice_.Below(3));
    const int instances = static_cast<int>(1 + dice_.Below(3));
    ids_ = static_cast<uint64_t>(1 + dice_.Below(8));
    support::FakeEngine::Script script;
    iterative_ = batching.iterative = dice_.OneIn(4);
    stateful_ = dice_.OneIn(2);
    if (stateful_) AddState(batching, script.signature);
    script.signature.max_batch_size = 1 + dice_.Below(4);
    script.signature.sequences = true;
    rows_max_ = script.signature.max_batch_size;
    slots_ =
        static_cast<size_t>(direct_ ? rows_max_ : batching.max_candidate_sequences) * static_cast<size_t>(instances);
    script.on_execute = [this](core::Execution& execution) { Execute(execution); };
    script.takes_long = [this](core::Execution&) { return dice_.OneIn(4); };
    if (dice_.OneIn(3)) script.unfinished_executions_max = static_cast<int>(1 + dice_.Below(3));
    version_ = fixture_.MakeModel(script, config, {.threads = false}, instances);
    scheduler_ = static_cast<SequenceScheduler*>(&version_->scheduler());
  }

  void Run() {
    for (int64_t steps = dice_.Below(120); steps > 0; --steps) Step();
    const std::weak_ptr<const core::ModelVersion> lives = version_;
    if (dice_.OneIn(2)) {
      scheduler_->KeepForSequences(version_, clock_.NowNs() + 1'000'000 * dice_.Below(200));
      for (int64_t steps = dice_.Below(20); steps > 0; --steps) Step();
    }
    version_ = nullptr;  // the clients' requests keep it, and its sequences
    for (int rounds = 0; !lives.expired(); ++rounds) {
      if (rounds == 1000) GiveUp();
      Settle();
      FinishOne();
      clock_.AdvanceMs(20);
    }
    CheckAnswers();
  }

  int64_t requests() const { return static_cast<int64_t>(sent_.size()); }
  int64_t answered_well() const {
    return std::ranges::count_if(sent_, [](const Sent& s) { return s.status.ok(); });
  }

 private:
  static constexpr int kDepthMax = 4;

  // The state is the sum and, if it grows, zeros after it.
  void AddState(config::SequenceBatching& batching, core::ModelSignature& signature) {
    grows_ = dice_.OneIn(2);
    batching.states.push_back({.input = "STATE_IN",
                               .output = "STATE_OUT",
                               .datatype = tensor::DataType::kInt32,
                               .dims = {grows_ ? -1 : 1},
                               .initial_dims = {1},
                               .initial_file = {}});
    signature.inputs.push_back({.name = "STATE_IN", .datatype = tensor::DataType::kInt32, .shape = {-1, -1}});
    signature.outputs.push_back({.name = "STATE_OUT", .datatype = tensor::DataType::kInt32, .shape = {-1, -1}});
  }

  // Returns how often a request with this number is executed.
  int32_t StepsOf(int32_t number) const { return iterative_ ? 1 + number % 4 : 1; }

  void Step() {
    switch (dice_.Below(10)) {
      case 0:
      case 1:
      case 2:
      case 3: return Send();
      case 4:
        if (!sent_.empty())
          sent_[static_cast<size_t>(dice_.Below(static_cast<int64_t>(sent_.size())))].cancel->Cancel();
        return;
      case 5: return clock_.AdvanceNs(1'000'000 * dice_.Below(12));
      case 6: return FinishOne();
      case 7:
        if (dice_.OneIn(4) && version_ != nullptr)
          scheduler_->EndSequence({.id = static_cast<uint64_t>(1 + dice_.Below(8))});
        return;
      default: return Settle();
    }
  }

  void Send() {
    if (version_ == nullptr) return;
    Sent& sent = sent_.emplace_back();  // its address does not change
    sent.id = static_cast<uint64_t>(1 + dice_.Below(static_cast<int64_t>(ids_)));
    if (iterative_ && dice_.OneIn(2)) sent.id = 0;
    sent.number = static_cast<int32_t>(1 + dice_.Below(1000));
    sent.start = dice_.OneIn(3);
    sent.end = dice_.OneIn(4);
    sent.cancel = std::make_shared<core::CancelFlag>();
    core::QueuedRequest queued = fixture_.Request(version_, nullptr, 1, 1);
    queued.request->id = std::to_string(sent_.size() - 1);
    queued.request->sequence = {.id = sent.id, .start = sent.start, .end = sent.end};
    queued.request->cancel = sent.cancel;
    queued.request->inputs[0].data = base::BufferSlice(
        base::Buffer::CopyOf(std::string_view(reinterpret_cast<const char*>(&sent.number), sizeof(sent.number))));
    queued.completion = core::Completion([this, &sent](core::InferResponse&& response) {
      EXPECT_FALSE(sent.answered) << "twice";
      EXPECT_TRUE(response.final && !response.reschedule);
      sent.answered = true;
      sent.status = response.status;
      // Requests are executed, and answered, in the order in which they came.
      if (!sent.status.ok()) return;
      EXPECT_EQ(response.outputs.size(), 1u) << "with a state";
      std::memcpy(&sent.sum, response.outputs.at(0).data.data(), sizeof(sent.sum));
      for (const Sent& other : sent_) {
        if (&other == &sent) break;
        EXPECT_TRUE(sent.id == 0 || other.id != sent.id || other.answered) << "out of order";
      }
    });
    version_->scheduler().Enqueue(std::move(queued));
  }

  // Acts as the engine: now, or later.
  void Execute(core::Execution& execution) {
    std::map<uint64_t, int> ids;
    for (size_t i = 0; i < execution.rows.size(); ++i) {
      if (execution.FillsUp(i)) {
        EXPECT_TRUE(direct_);
        EXPECT_LT(i + 1, execution.rows.size()) << "there is nothing behind it";
        continue;
      }
      const core::Sequence& sequence = execution.request(i).sequence;
      const auto id = std::get<uint64_t>(sequence.id);
      if (sequence.start) rows_.erase(id);
      EXPECT_TRUE(!direct_ || rows_.try_emplace(id, i).first->second == i) << "not its row";
      EXPECT_EQ(++ids[id], 1) << "two requests of a sequence share an execution";
      EXPECT_EQ(++executing_[id], 1) << "two requests of a sequence run at once";
    }
    EXPECT_LE(execution.rows.size(), static_cast<size_t>(rows_max_));
    EXPECT_LE(executing_.size(), slots_) << "more sequences than there is room for";
    ++depth_;
    if (depth_ < kDepthMax) {
      for (int64_t steps = dice_.Below(4); steps > 0; --steps) Step();
    }
    --depth_;
    if (dice_.OneIn(4)) {
      unfinished_.push_back(&execution);
    } else {
      Finish(execution);
    }
  }

  void FinishOne() {
    if (unfinished_.empty()) return;
    core::Execution* const execution = unfinished_.front();
    unfinished_.pop_front();
    Finish(*execution);
  }

  void Finish(core::Execution& execution) {
    const size_t count = execution.rows.size();
    const bool fails = dice_.OneIn(8);
    std::vector<int32_t> sums;
    std::vector<bool> again(count, false);
    std::vector<int32_t> states;
    size_t state_elements = 1;
    if (stateful_) state_elements = static_cast<size_t>(execution.inputs[1].shape[1]);
    const size_t next_elements = grows_ ? state_elements % 3 + 1 : 1;
    for (size_t i = 0; i < count; ++i) {
      if (execution.FillsUp(i)) {
        sums.push_back(-1);
        states.resize(states.size() + next_elements);
        continue;
      }
      const core::Sequence& sequence = execution.request(i).sequence;
      const auto id = std::get<uint64_t>(sequence.id);
      if (--executing_[id] == 0) executing_.erase(id);
      if (fails) continue;
      EXPECT_TRUE(sequence.start || sums_.contains(id)) << "the engine never saw its START";
      int32_t number = 0;
      std::memcpy(&number, execution.inputs[0].pieces[i].data(), sizeof(number));
      if (sequence.start) sums_[id] = steps_[id] = 0;
      if (stateful_) CheckState(execution.inputs[1].pieces[i], state_elements, sums_[id]);
      sums.push_back(sums_[id] += number);
      again[i] = ++steps_[id] < StepsOf(number);
      EXPECT_FALSE(iterative_ && sequence.end);
      if (sequence.end) sums_.erase(id);
      states.push_back(sums.back());
      states.resize(states.size() + next_elements - 1);
    }
    if (fails) {
      execution.RespondAll({base::Internal("as the dice fall"), {}});
    } else if (iterative_) {
      for (size_t i = 0; i < count; ++i) {
        core::EngineResponse response{base::OkStatus(), {}};
        response.outputs.push_back(TensorOf(std::span(sums).subspan(i, 1), 1));
        if (stateful_) {
          response.outputs.push_back(TensorOf(std::span(states).subspan(i * next_elements, next_elements), 1));
        }
        response.reschedule = again[i];
        execution.Respond(i, std::move(response));
      }
    } else {
      core::EngineResponse response{base::OkStatus(), {}};
      response.outputs.push_back(TensorOf(sums, count));
      if (stateful_) response.outputs.push_back(TensorOf(states, count));
      execution.RespondAll(std::move(response));
    }
    execution.Finish();
  }

  static void CheckState(const base::BufferSlice& piece, size_t elements, int32_t sum) {
    ASSERT_EQ(piece.size(), elements * sizeof(int32_t));
    std::vector<int32_t> numbers(elements);
    std::memcpy(numbers.data(), piece.data(), piece.size());
    EXPECT_EQ(numbers[0], sum) << "not the state of its sequence";
  }

  static core::InferTensor TensorOf(std::span<const int32_t> numbers, size_t rows) {
    core::InferTensor tensor;
    tensor.datatype = tensor::DataType::kInt32;
    tensor.shape = {static_cast<int64_t>(rows), static_cast<int64_t>(numbers.size() / rows)};
    tensor.data = base::BufferSlice(
        base::Buffer::CopyOf(std::string_view(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes())));
    return tensor;
  }

  bool Open() const {
    return version_ != nullptr || std::ranges::any_of(sent_, [](const Sent& sent) { return !sent.answered; });
  }

  void Settle() {
    fixture_.deadlines().RunDue();
    while (Open() && scheduler_->RunWoken()) {
      fixture_.deadlines().RunDue();
      if (depth_ > 0) return;
    }
    if (depth_ > 0 || version_ == nullptr) return;
    const core::SchedulerReport report = scheduler_->Report();
    EXPECT_LE(report.sequences.active, report.sequences.slots);
    EXPECT_EQ(report.sequences.slots, static_cast<int64_t>(slots_));
    EXPECT_TRUE(report.sequences.backlog == 0 || report.sequences.active == report.sequences.slots)
        << "a sequence waits for a slot that is free";
    EXPECT_LE(report.sequences.waiting, report.sequences.waiting_max);
  }

  // Compares the responses with the simple model, in order.
  void CheckAnswers() const {
    std::map<uint64_t, std::optional<int32_t>> sums;
    for (const Sent& sent : sent_) {
      EXPECT_TRUE(sent.answered);
      if (iterative_) {
        EXPECT_EQ(sent.sum, sent.status.ok() ? sent.number * StepsOf(sent.number) : 0);
        continue;
      }
      std::optional<int32_t>& sum = sums[sent.id];
      if (!sent.status.ok()) {
        // The failed request may have ended the sequence, or not have been seen at all. The engine and the table must
        // notice what continues without its START.
        if (sent.start) sum = std::nullopt;
        continue;
      }
      if (sent.start) sum = 0;
      ASSERT_TRUE(sum.has_value()) << "no START of it was answered";
      *sum += sent.number;
      EXPECT_EQ(sent.sum, *sum);
      if (sent.end) sum = std::nullopt;
    }
  }

  [[noreturn]] static void GiveUp() {
    ADD_FAILURE() << "a request is never answered";
    std::abort();
  }

  Dice dice_;
  base::FakeClock clock_;
  SchedulingFixture fixture_{clock_};
  std::deque<Sent> sent_;
  std::map<uint64_t, int> executing_;
  std::map<uint64_t, int32_t> sums_;   // the engine's
  std::map<uint64_t, int32_t> steps_;  // executions of the request
  std::map<uint64_t, size_t> rows_;
  std::deque<core::Execution*> unfinished_;
  std::shared_ptr<const core::ModelVersion> version_;
  SequenceScheduler* scheduler_ = nullptr;
  size_t slots_ = 0;
  uint64_t ids_ = 1;
  int64_t rows_max_ = 1;
  bool direct_ = false;
  bool iterative_ = false;
  bool stateful_ = false;
  bool grows_ = false;
  int depth_ = 0;
};

TEST(SequenceSchedulerPropertyTest, EverySequenceSeesItsOwnRequestsInOrder) {
  const int64_t only = FromEnvironment("INFERD_PROPERTY_SEED", -1);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(FromEnvironment("INFERD_PROPERTY_SECONDS", 2));
  const auto first = only >= 0 ? static_cast<uint64_t>(only) : uint64_t{std::random_device{}()} << 20;
  int64_t models = 0;
  int64_t requests = 0;
  int64_t answered_well = 0;
  do {
    const uint64_t seed = first + static_cast<uint64_t>(models++);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Simulation simulation(seed);
    simulation.Run();
    requests += simulation.requests();
    answered_well += simulation.answered_well();
    ASSERT_FALSE(::testing::Test::HasFailure());
  } while (only < 0 && std::chrono::steady_clock::now() < end);
  std::cout << models << " models, " << requests << " requests, " << answered_well << " answered\n";
}

}  // namespace sequence_scheduler_property_test
}  // namespace inferd::scheduling
