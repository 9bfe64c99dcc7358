#include "serving/scheduling/policy/batch_tuner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <random>
#include <string>
#include <vector>

namespace inferd::scheduling {
namespace batch_tuner_test {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kSecond = 1'000 * kMs;

// A model whose executions take fixed_ns + row_ns * rows (plus or minus a tenth), controlled by the tuner's choice: an
// idle instance begins when `rows` wait, or the oldest has waited for `delay_ns`.
class Simulation {
 public:
  Simulation(BatchTuner& tuner, int64_t fixed_ns, int64_t row_ns, int64_t rows_max, int instances = 1)
      : tuner_(tuner), fixed_ns_(fixed_ns), row_ns_(row_ns), rows_max_(rows_max), idle_(instances) {}

  struct Result {
    int64_t rows = 0;
    int64_t executions = 0;
    int64_t busy_ns = 0;
    std::vector<int64_t> latencies_ns;

    double RowsPerExecution() const { return static_cast<double>(rows) / static_cast<double>(executions); }
    double BusyNsPerRow() const { return static_cast<double>(busy_ns) / static_cast<double>(rows); }
    int64_t Percentile(double share) {
      std::sort(latencies_ns.begin(), latencies_ns.end());
      return latencies_ns[static_cast<size_t>(share * static_cast<double>(latencies_ns.size() - 1))];
    }
  };

  // Requests arrive even if earlier ones are not answered.
  Result RunOpen(double requests_per_second, int64_t duration_ns) {
    rate_ = requests_per_second / kSecond;
    Push(now_ns_ + Pause(), Event::kArrival, 0);
    return Run(duration_ns);
  }
  // Each client waits for its response, and sends the next request `think_ns` later.
  Result RunClosed(int clients, int64_t think_ns, int64_t duration_ns) {
    rate_ = 0;
    think_ns_ = think_ns;
    for (int i = 0; i < clients; ++i) Push(now_ns_ + i * 10'000, Event::kArrival, 0);
    return Run(duration_ns);
  }

 private:
  enum class Event { kArrival, kDone, kWake };
  struct Due {
    int64_t at_ns;
    Event event;
    size_t batch;
    bool operator>(const Due& other) const { return at_ns > other.at_ns; }
  };
  struct Batch {
    std::vector<int64_t> queued_ns;
    int64_t service_ns = 0;
    bool waited = false;
  };

  void Push(int64_t at_ns, Event event, size_t batch) { due_.push({at_ns, event, batch}); }
  int64_t Pause() { return 1 + static_cast<int64_t>(std::exponential_distribution<double>(rate_)(random_)); }

  Result Run(int64_t duration_ns) {
    Result result;
    const int64_t end_ns = now_ns_ + duration_ns;
    while (!due_.empty() && due_.top().at_ns < end_ns) {
      const Due due = due_.top();
      due_.pop();
      now_ns_ = due.at_ns;
      if (due.event == Event::kArrival) Arrive();
      if (due.event == Event::kDone) Finish(batches_[due.batch], result);
      while (Begin()) continue;
    }
    due_ = {};
    waiting_.clear();
    idle_ += static_cast<int>(running_);
    running_ = 0;
    in_flight_ = 0;
    now_ns_ = end_ns;
    return result;
  }

  void Arrive() {
    tuner_.RecordArrival(1, in_flight_++);
    waiting_.push_back(now_ns_);
    if (rate_ > 0) Push(now_ns_ + Pause(), Event::kArrival, 0);
  }

  bool Begin() {
    if (idle_ == 0 || waiting_.empty()) return false;
    const BatchTuner::Choice& choice = tuner_.choice(now_ns_);
    const auto waiting = static_cast<int64_t>(waiting_.size());
    const int64_t due_ns = waiting_.front() + choice.delay_ns;
    if (waiting < std::min(choice.rows, rows_max_) && now_ns_ < due_ns) {
      Push(due_ns, Event::kWake, 0);
      return false;
    }
    --idle_;
    ++running_;
    const int64_t rows = std::min(waiting, rows_max_);
    const double spread = std::uniform_real_distribution<double>(0.9, 1.1)(random_);
    const auto service_ns = static_cast<int64_t>(static_cast<double>(fixed_ns_ + row_ns_ * rows) * spread);
    batches_.push_back({{waiting_.begin(), waiting_.begin() + rows}, service_ns, choice.delay_ns > 0});
    waiting_.erase(waiting_.begin(), waiting_.begin() + rows);
    Push(now_ns_ + service_ns, Event::kDone, batches_.size() - 1);
    return true;
  }

  void Finish(const Batch& batch, Result& result) {
    ++idle_;
    --running_;
    const auto rows = static_cast<int64_t>(batch.queued_ns.size());
    in_flight_ -= rows;
    tuner_.RecordExecution(rows, batch.service_ns, batch.waited);
    ++result.executions;
    result.rows += rows;
    result.busy_ns += batch.service_ns;
    for (const int64_t queued_ns : batch.queued_ns) {
      result.latencies_ns.push_back(now_ns_ - queued_ns);
      if (rate_ == 0) Push(now_ns_ + think_ns_, Event::kArrival, 0);
    }
  }

  BatchTuner& tuner_;
  const int64_t fixed_ns_;
  const int64_t row_ns_;
  const int64_t rows_max_;
  int idle_;
  int64_t running_ = 0;
  int64_t in_flight_ = 0;
  double rate_ = 0;
  int64_t think_ns_ = 0;
  std::mt19937 random_{11};
  int64_t now_ns_ = kSecond;
  std::deque<int64_t> waiting_;
  std::vector<Batch> batches_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
};

std::string Explained(const BatchTuner::Choice& choice) {
  return std::string(choice.explanation) + ", rows " + std::to_string(choice.rows) + ", delay " +
         std::to_string(choice.delay_ns);
}

// Records executions of each size, often enough for all sizes to be known.
void Teach(BatchTuner& tuner, int64_t fixed_ns, int64_t row_ns) {
  for (int i = 0; i < 16; ++i) {
    for (const int64_t rows : {1, 2, 4, 8, 16}) tuner.RecordExecution(rows, fixed_ns + row_ns * rows, true);
  }
}

TEST(BatchTunerTest, BeforeItKnowsAnythingNobodyWaits) {
  BatchTuner tuner(50 * kMs, 32);
  const BatchTuner::Choice& choice = tuner.choice(kSecond);
  EXPECT_EQ(choice.delay_ns, 0);
  EXPECT_EQ(choice.rows, 32);
  EXPECT_NE(choice.explanation.find("too few executions"), std::string_view::npos);
}

TEST(BatchTunerTest, FitsTheServiceTime) {
  BatchTuner tuner(50 * kMs, 32);
  Teach(tuner, 2 * kMs, 50'000);
  tuner.choice(kSecond);
  EXPECT_NEAR(static_cast<double>(tuner.first_row_ns()), 2.05e6, 1e3);
  EXPECT_NEAR(static_cast<double>(tuner.further_row_ns()), 5e4, 1e3);
}

TEST(BatchTunerTest, OutliersHardlyMoveTheFit) {
  BatchTuner tuner(50 * kMs, 32);
  Teach(tuner, 2 * kMs, 50'000);
  for (const int64_t rows : {1, 4, 16}) tuner.RecordExecution(rows, kSecond, true);
  tuner.choice(kSecond);
  EXPECT_NEAR(static_cast<double>(tuner.first_row_ns()), 2.05e6, 0.1e6);
  EXPECT_NEAR(static_cast<double>(tuner.further_row_ns()), 5e4, 1e4);
}

TEST(BatchTunerTest, FollowsAModelThatGetsSlower) {
  BatchTuner tuner(50 * kMs, 32);
  Teach(tuner, 2 * kMs, 50'000);
  for (int i = 0; i < 8; ++i) Teach(tuner, 20 * kMs, 500'000);
  tuner.choice(kSecond);
  EXPECT_NEAR(static_cast<double>(tuner.first_row_ns()), 20.5e6, 2e6);
  EXPECT_NEAR(static_cast<double>(tuner.further_row_ns()), 5e5, 1e5);
}

// If all executions had the same size, the cost of one more row is unknown. It is assumed to cost as much as any other.
TEST(BatchTunerTest, OneSizeAloneIsNoReasonToWait) {
  BatchTuner tuner(50 * kMs, 32);
  for (int i = 0; i < 100; ++i) tuner.RecordExecution(4, 4 * kMs, false);
  for (int i = 0; i < 100; ++i) tuner.RecordArrival(4, 3);
  const BatchTuner::Choice& choice = tuner.choice(kSecond);
  EXPECT_EQ(choice.delay_ns, 0);
  EXPECT_NE(choice.explanation.find("one size only"), std::string_view::npos) << choice.explanation;
  EXPECT_EQ(tuner.first_row_ns(), kMs);
  EXPECT_EQ(tuner.further_row_ns(), kMs);
}

// A long time with one size must not make it forget other sizes at once.
TEST(BatchTunerTest, RemembersOtherSizesForAWhile) {
  BatchTuner tuner(50 * kMs, 32);
  Teach(tuner, 2 * kMs, 50'000);
  for (int i = 0; i < 4'000; ++i) tuner.RecordExecution(16, 2'800'000, false);
  tuner.choice(kSecond);
  EXPECT_NEAR(static_cast<double>(tuner.first_row_ns()), 2.05e6, 1e5);
}

TEST(BatchTunerTest, ALoneClientNeverWaits) {
  BatchTuner tuner(100 * kMs, 32);
  Teach(tuner, 2 * kMs, 10'000);
  Simulation simulation(tuner, 2 * kMs, 10'000, 32);
  Simulation::Result result = simulation.RunClosed(1, 0, 3 * kSecond);
  EXPECT_LT(result.Percentile(1), 2'210'000 + 1'000);
  const BatchTuner::Choice& choice = tuner.choice(10 * kSecond);
  EXPECT_EQ(choice.delay_ns, 0);
  EXPECT_NE(choice.explanation.find("no company"), std::string_view::npos) << Explained(choice);
}

TEST(BatchTunerTest, ALoneClientNeverWaitsOnceTheOthersAreGone) {
  BatchTuner tuner(100 * kMs, 32);
  Simulation simulation(tuner, 2 * kMs, 10'000, 32);
  simulation.RunClosed(8, kMs, 2 * kSecond);
  simulation.RunClosed(1, kMs, 2 * kSecond + 100 * kMs);
  Simulation::Result result = simulation.RunClosed(1, kMs, 3 * kSecond);
  EXPECT_LT(result.Percentile(1), 2'210'000 + 1'000);
}

TEST(BatchTunerTest, UnderSaturationLargeBatchesFormWithoutADelay) {
  BatchTuner tuner(100 * kMs, 32);
  Simulation simulation(tuner, kMs, 100'000, 32);
  simulation.RunClosed(128, 0, 2 * kSecond);
  const Simulation::Result result = simulation.RunClosed(128, 0, 2 * kSecond);
  EXPECT_GT(result.RowsPerExecution(), 30);
  const BatchTuner::Choice& choice = tuner.choice(10 * kSecond);
  EXPECT_EQ(choice.delay_ns, 0) << Explained(choice);
  EXPECT_EQ(choice.rows, 32);
}

// 150 requests/s for a model that needs 4 ms for any number of rows. Its instance is idle nearly half of the time
// already, and need not be busy at all.
TEST(BatchTunerTest, WaitingPaysForAModelWithALargeFixedCost) {
  BatchTuner tuner(60 * kMs, 32);
  Simulation simulation(tuner, 4 * kMs, 50'000, 32);
  simulation.RunOpen(150, 5 * kSecond);
  Simulation::Result result = simulation.RunOpen(150, 60 * kSecond);
  const BatchTuner::Choice& choice = tuner.choice(100 * kSecond);
  EXPECT_LE(result.Percentile(0.99), 60 * kMs) << Explained(choice);
  EXPECT_GT(result.RowsPerExecution(), 3);
  EXPECT_LT(result.BusyNsPerRow(), 1.5e6) << "without a delay: about 3 ms";
}

TEST(BatchTunerTest, TheObjectiveHoldsAtAnyLoad) {
  for (const double load : {20.0, 100.0, 300.0, 1'000.0, 3'000.0}) {
    BatchTuner tuner(40 * kMs, 32);
    Simulation simulation(tuner, 3 * kMs, 50'000, 32);
    simulation.RunOpen(load, 5 * kSecond);
    Simulation::Result result = simulation.RunOpen(load, 30 * kSecond);
    EXPECT_LE(result.Percentile(0.99), 40 * kMs) << load;
  }
}

// Clients that wait for their responses are gathered into one batch. As soon as all are there, no request waits longer.
TEST(BatchTunerTest, ClientsThatWaitForAnswersShareOneExecution) {
  BatchTuner tuner(100 * kMs, 32);
  Simulation simulation(tuner, 2 * kMs, 50'000, 32);
  simulation.RunClosed(4, 100'000, 3 * kSecond);
  Simulation::Result result = simulation.RunClosed(4, 100'000, 3 * kSecond);
  EXPECT_GT(result.RowsPerExecution(), 3.8);
  EXPECT_LT(result.Percentile(0.5), 3 * kMs) << "two executions of two rows would take 4 ms";
}

TEST(BatchTunerTest, NobodyWaitsWhereRowsSaveNothing) {
  BatchTuner tuner(100 * kMs, 32);
  Simulation simulation(tuner, 100'000, 2 * kMs, 32);
  simulation.RunOpen(200, 10 * kSecond);
  const BatchTuner::Choice& choice = tuner.choice(20 * kSecond);
  EXPECT_EQ(choice.delay_ns, 0);
  EXPECT_NE(choice.explanation.find("save little"), std::string_view::npos) << Explained(choice);
}

// Saves half of the time per row, but less than the wake-ups of a waiting batch cost.
TEST(BatchTunerTest, NobodyWaitsForTinyExecutions) {
  BatchTuner tuner(10 * kMs, 32);
  Simulation simulation(tuner, 8'000, 4'000, 32);
  simulation.RunOpen(20'000, 2 * kSecond);
  const BatchTuner::Choice& choice = tuner.choice(2 * kSecond);
  EXPECT_EQ(choice.delay_ns, 0) << Explained(choice);
  EXPECT_NE(choice.explanation.find("save little"), std::string_view::npos) << Explained(choice);
}

TEST(BatchTunerTest, AnObjectiveThatIsTooTightIsSaidToBe) {
  BatchTuner tuner(5 * kMs, 32);
  Simulation simulation(tuner, 4 * kMs, 50'000, 32);
  simulation.RunOpen(150, 10 * kSecond);
  const BatchTuner::Choice& choice = tuner.choice(20 * kSecond);
  EXPECT_EQ(choice.delay_ns, 0);
  EXPECT_NE(choice.explanation.find("too tight"), std::string_view::npos) << Explained(choice);
}

TEST(BatchTunerTest, RareRequestsDoNotWaitForEachOther) {
  BatchTuner tuner(50 * kMs, 32);
  Teach(tuner, 10 * kMs, 50'000);
  for (int64_t now_ns = kSecond; now_ns < 20 * kSecond; now_ns += 500 * kMs) {
    tuner.RecordArrival(1, 0);
    tuner.RecordArrival(1, 1);
    tuner.choice(now_ns);
  }
  const BatchTuner::Choice& choice = tuner.choice(20 * kSecond);
  EXPECT_EQ(choice.delay_ns, 0);
  EXPECT_NE(choice.explanation.find("too rarely"), std::string_view::npos) << Explained(choice);
}

// Simulates arrivals at this rate, one row per request, from this many clients.
int64_t Arrive(BatchTuner& tuner, int64_t rows_per_second, int64_t clients, int64_t now_ns, int64_t duration_ns) {
  const int64_t rows = rows_per_second * BatchTuner::kRecomputeNs / kSecond;
  for (const int64_t end_ns = now_ns + duration_ns; now_ns < end_ns; now_ns += BatchTuner::kRecomputeNs) {
    for (int64_t i = 0; i < rows; ++i) tuner.RecordArrival(1, clients - 1);
    tuner.choice(now_ns);
  }
  return now_ns;
}

// Threads that read requests of several connections run them as one execution, even if the instance is mostly idle.
TEST(BatchTunerTest, NobodyWaitsForWhatComesTogetherAnyway) {
  BatchTuner tuner(10 * kMs, 64);
  Teach(tuner, 17'000, 9'000);
  int64_t now_ns = Arrive(tuner, 40'000, 16, kSecond, 2 * kSecond);
  EXPECT_GT(tuner.choice(now_ns).delay_ns, 0) << Explained(tuner.choice(now_ns));
  for (int i = 0; i < 64; ++i) tuner.RecordExecution(8, 89'000, false);
  now_ns = Arrive(tuner, 40'000, 16, now_ns, 100 * kMs);
  const BatchTuner::Choice& choice = tuner.choice(now_ns);
  EXPECT_EQ(choice.delay_ns, 0) << Explained(choice);
  EXPECT_NE(choice.explanation.find("form without it"), std::string_view::npos) << Explained(choice);
}

TEST(BatchTunerTest, NobodyWaitsLongerThanItSaves) {
  BatchTuner tuner(10 * kMs, 64);
  Teach(tuner, 40'000, 5'000);
  const int64_t now_ns = Arrive(tuner, 6'000, 16, kSecond, 2 * kSecond);
  const BatchTuner::Choice& choice = tuner.choice(now_ns);
  EXPECT_EQ(choice.delay_ns, 0) << Explained(choice);
  EXPECT_NE(choice.explanation.find("takes longer to come"), std::string_view::npos) << Explained(choice);
}

// Compares the tuner with one that never waits, both where waiting pays and where it does not.
TEST(BatchTunerTest, ClientsThatWaitForAnswersGetNoFewerRowsForIt) {
  for (const int instances : {1, 2}) {
    for (const int clients : {2, 4, 16}) {
      for (const int64_t think_ns : {20'000, 200'000, 2'000'000}) {
        for (const int64_t fixed_ns : {200'000, 2'000'000}) {
          for (const int64_t row_ns : {1'000, 20'000}) {
            const auto rows = [&](int64_t objective_ns) {
              BatchTuner tuner(objective_ns, 32, instances);
              Simulation simulation(tuner, fixed_ns, row_ns, 32, instances);
              simulation.RunClosed(clients, think_ns, kSecond);
              return simulation.RunClosed(clients, think_ns, 2 * kSecond).rows;
            };
            EXPECT_GE(static_cast<double>(rows(50 * kMs)), 0.95 * static_cast<double>(rows(1)))
                << instances << " instances, " << clients << " clients that think for " << think_ns
                << ", executions of " << fixed_ns << " + " << row_ns << " a row";
          }
        }
      }
    }
  }
}

TEST(BatchTunerTest, WhereNothingWasMeasuredNothingIsSaidToBe) {
  BatchTuner tuner(50 * kMs, 32);
  tuner.choice(kSecond);
  EXPECT_EQ(tuner.first_row_ns(), 0);
  EXPECT_EQ(tuner.further_row_ns(), 0);
}

TEST(BatchTunerTest, MeasuresWhatArrives) {
  BatchTuner tuner(50 * kMs, 32);
  int64_t now_ns = kSecond;
  for (int i = 0; i < 5'000; ++i) {
    tuner.RecordArrival(2, 0);
    tuner.choice(now_ns += kMs);
  }
  EXPECT_NEAR(tuner.rows_per_second(), 2'000, 50);
  tuner.choice(now_ns + 10 * kSecond);
  EXPECT_LT(tuner.rows_per_second(), 1);
}

TEST(BatchTunerTest, NeverMoreRowsThanTheModelTakes) {
  BatchTuner tuner(kSecond, 6);
  Simulation simulation(tuner, 4 * kMs, 1'000, 6, 2);
  simulation.RunOpen(500, 5 * kSecond);
  const Simulation::Result result = simulation.RunOpen(500, 5 * kSecond);
  EXPECT_LE(tuner.choice(20 * kSecond).rows, 6);
  EXPECT_GT(result.RowsPerExecution(), 4);
}

TEST(BatchTunerTest, TheChoiceStandsForAFewMilliseconds) {
  BatchTuner tuner(50 * kMs, 32);
  tuner.choice(kSecond);
  Teach(tuner, 2 * kMs, 50'000);
  EXPECT_NE(tuner.choice(kSecond + BatchTuner::kRecomputeNs - 1).explanation.find("too few"), std::string_view::npos);
  EXPECT_EQ(tuner.choice(kSecond + BatchTuner::kRecomputeNs).explanation.find("too few"), std::string_view::npos);
}

}  // namespace batch_tuner_test
}  // namespace inferd::scheduling
