#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <random>
#include <vector>

#include "serving/scheduling/queue/concurrency_limit.h"

// Tests the limit of models that batch.

namespace inferd::scheduling {
namespace concurrency_limit_batching_test {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kSecond = 1'000 * kMs;

// A server whose instances execute up to `rows_max` waiting rows at once, in `first_ns` plus `further_ns` per row,
// behind the adaptive limit and a bounded queue. Its clients send without waiting for responses.
class BatchingSimulation {
 public:
  struct Model {
    int instances = 1;
    int64_t rows_max = 64;
    int64_t first_ns = 300'000;
    int64_t further_ns = 100'000;
    int64_t delay_ns = 0;  // the batch delay
    int kinds = 1;         // of requests; an execution has only one

    double capacity() const {
      return static_cast<double>(instances * rows_max) * kSecond /
             static_cast<double>(first_ns + rows_max * further_ns);
    }
  };
  static constexpr int64_t kQueueSizeMax = 256;

  struct Result {
    int64_t answered = 0;
    int64_t refused = 0;
    int64_t latency_ns_p99 = 0;

    double refused_share() const { return static_cast<double>(refused) / static_cast<double>(answered + refused); }
  };

  BatchingSimulation(const Model& model, const config::ConcurrencyOptions& options)
      : model_(model), limit_(options, true), waiting_(static_cast<size_t>(model.kinds)) {}

  const ConcurrencyLimit& limit() const { return limit_; }

  Result Run(double requests_per_second, int64_t duration_ns) {
    std::exponential_distribution<double> pause(requests_per_second / kSecond);
    const int64_t end_ns = now_ns_ + duration_ns;
    int64_t arrival_ns = now_ns_ + static_cast<int64_t>(pause(random_));
    refused_ = 0;
    latencies_.clear();
    while (arrival_ns < end_ns) {
      const int64_t company_ns = CompanyOverNs();
      now_ns_ = std::min({arrival_ns, company_ns, running_.empty() ? INT64_MAX : running_.top().done_ns});
      if (!running_.empty() && now_ns_ == running_.top().done_ns) {
        Answer();
      } else if (now_ns_ == arrival_ns) {
        Arrive();
        arrival_ns += 1 + static_cast<int64_t>(pause(random_));
      }
      Start();
    }
    Result result{.answered = static_cast<int64_t>(latencies_.size()), .refused = refused_};
    if (latencies_.empty()) return result;
    const auto p99 = latencies_.begin() + static_cast<std::ptrdiff_t>(latencies_.size() * 99 / 100);
    std::nth_element(latencies_.begin(), p99, latencies_.end());
    result.latency_ns_p99 = *p99;
    return result;
  }

 private:
  struct Batch {
    int64_t done_ns;
    std::vector<int64_t> queued_ns;
    bool operator>(const Batch& other) const { return done_ns > other.done_ns; }
  };

  bool HasIdle() const { return running_.size() < static_cast<size_t>(model_.instances); }

  // Returns the kind that runs next, or waiting_.size() if nothing waits.
  size_t Oldest() const {
    size_t oldest = waiting_.size();
    for (size_t kind = 0; kind < waiting_.size(); ++kind) {
      if (waiting_[kind].empty()) continue;
      if (oldest == waiting_.size() || waiting_[kind].front() < waiting_[oldest].front()) oldest = kind;
    }
    return oldest;
  }

  int64_t CompanyOverNs() const {
    const size_t oldest = Oldest();
    return HasIdle() && oldest < waiting_.size() ? waiting_[oldest].front() + model_.delay_ns : INT64_MAX;
  }

  void Arrive() {
    if (!limit_.Admits(executing_ + waiting_count_) || waiting_count_ >= kQueueSizeMax) {
      ++refused_;
      return;
    }
    waiting_[random_() % waiting_.size()].push_back(now_ns_);
    ++waiting_count_;
  }

  void Start() {
    for (size_t kind = Oldest(); HasIdle() && kind < waiting_.size(); kind = Oldest()) {
      std::deque<int64_t>& queue = waiting_[kind];
      const auto rows = std::min(static_cast<int64_t>(queue.size()), model_.rows_max);
      if (rows < model_.rows_max && queue.front() + model_.delay_ns > now_ns_) return;
      Batch batch{.done_ns = now_ns_ + model_.first_ns + rows * model_.further_ns,
                  .queued_ns = {queue.begin(), queue.begin() + rows}};
      queue.erase(queue.begin(), queue.begin() + rows);
      waiting_count_ -= rows;
      executing_ += rows;
      limit_.RecordBatch(executing_, rows == model_.rows_max ? waiting_count_ : 0);
      running_.push(std::move(batch));
    }
  }

  void Answer() {
    const Batch batch = running_.top();
    running_.pop();
    for (const int64_t queued_ns : batch.queued_ns) {
      limit_.Record(now_ns_ - queued_ns, executing_ + waiting_count_, false, now_ns_);
      --executing_;
      latencies_.push_back(now_ns_ - queued_ns);
    }
  }

  const Model model_;
  ConcurrencyLimit limit_;
  std::mt19937 random_{7};
  int64_t now_ns_ = kSecond;
  std::vector<std::deque<int64_t>> waiting_;  // by kind
  int64_t waiting_count_ = 0;
  int64_t executing_ = 0;
  std::priority_queue<Batch, std::vector<Batch>, std::greater<>> running_;
  int64_t refused_ = 0;
  std::vector<int64_t> latencies_;
};

constexpr config::ConcurrencyOptions kWide{.min = 1, .max = 320};

// Models that differ in what they batch, and how much they gain by it.
const std::vector<BatchingSimulation::Model> kBatchingModels = {
    {},
    {.first_ns = 5 * kMs, .further_ns = 20'000},
    {.rows_max = 8, .first_ns = 2 * kMs, .further_ns = kMs},
    {.instances = 4, .rows_max = 16, .first_ns = kMs, .further_ns = 500'000},
    {.rows_max = 32, .first_ns = kMs, .further_ns = 100'000, .delay_ns = 5 * kMs},
    {.rows_max = 16, .first_ns = kMs, .further_ns = 200'000, .kinds = 4},
};

TEST(ConcurrencyLimitBatchingTest, RefusesNothingThatTheModelCanServe) {
  for (size_t i = 0; i < kBatchingModels.size(); ++i) {
    const BatchingSimulation::Model& model = kBatchingModels[i];
    for (const double load : {0.25, 0.5, 0.75, 0.9}) {
      BatchingSimulation simulation(model, kWide);
      simulation.Run(load * model.capacity(), kSecond);
      const BatchingSimulation::Result result = simulation.Run(load * model.capacity(), 20 * kSecond);
      EXPECT_LT(result.refused_share(), 0.01) << "model " << i << ", load " << load;
    }
  }
}

TEST(ConcurrencyLimitBatchingTest, KeepsBatchesLargeAndTheQueueShort) {
  for (size_t i = 0; i < kBatchingModels.size(); ++i) {
    const BatchingSimulation::Model& model = kBatchingModels[i];
    for (const double load : {1.25, 2.0, 3.0}) {
      BatchingSimulation bounded(model, {});
      bounded.Run(load * model.capacity(), kSecond);
      const BatchingSimulation::Result queued = bounded.Run(load * model.capacity(), 20 * kSecond);
      BatchingSimulation simulation(model, kWide);
      simulation.Run(load * model.capacity(), kSecond);
      const BatchingSimulation::Result result = simulation.Run(load * model.capacity(), 20 * kSecond);
      EXPECT_GT(static_cast<double>(result.answered), 0.95 * static_cast<double>(queued.answered))
          << "model " << i << ", load " << load;
      EXPECT_LT(static_cast<double>(result.latency_ns_p99), 0.6 * static_cast<double>(queued.latency_ns_p99))
          << "model " << i << ", load " << load;
    }
  }
}

// The limit follows the load, however large it was while the model kept up.
TEST(ConcurrencyLimitBatchingTest, FollowsTheLoad) {
  const BatchingSimulation::Model model;
  const double capacity = model.capacity();
  BatchingSimulation simulation(model, kWide);
  for (int round = 0; round < 3; ++round) {
    simulation.Run(0.9 * capacity, kSecond);
    EXPECT_EQ(simulation.Run(0.9 * capacity, 5 * kSecond).refused, 0) << round;
    simulation.Run(2 * capacity, kSecond);
    EXPECT_GE(simulation.limit().limit(), 2 * model.rows_max) << round;
    EXPECT_LE(simulation.limit().limit(), 3 * model.rows_max) << round;
  }
}

TEST(ConcurrencyLimitBatchingTest, SmallBatchesNeedFew) {
  for (const int64_t requests : {1, 2, 4}) {
    const BatchingSimulation::Model model{.rows_max = requests, .first_ns = kMs, .further_ns = 5 * kMs};
    BatchingSimulation simulation(model, kWide);
    simulation.Run(2 * model.capacity(), kSecond);
    const BatchingSimulation::Result result = simulation.Run(2 * model.capacity(), 20 * kSecond);
    EXPECT_GT(static_cast<double>(result.answered), 0.98 * 20 * model.capacity()) << requests;
    EXPECT_LE(simulation.limit().limit(), 3 * requests + 2) << requests;
  }
}

}  // namespace concurrency_limit_batching_test
}  // namespace inferd::scheduling
