#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "serving/scheduling/simulated_model_fixture.h"
#include "tests/support/scheduling_fixture.h"

namespace inferd::scheduling {

// The clients of a property test. They send random requests to one load of the model after another. Each checks that it
// gets exactly one final response, its own, and in order where order is promised. A client's number is its request's
// id. Single-threaded.
class SimulatedClients final {
 public:
  struct Client {
    size_t load = 0;
    std::string bytes;
    tensor::Shape shape;
    uint64_t level = 1;  // 0 if the request is refused or a warm-up
    int64_t sent_ns = 0;
    int64_t late_ns = 0;  // 0 if never
    bool warmup = false;
    bool started = false;  // an execution with it has begun
    bool answered = false;
    std::shared_ptr<core::CancelFlag> cancel;

    // Returns true if an execution could still take the request. A request that was given up may still wait for its
    // response, if responses come in order.
    bool waits(int64_t now_ns) const {
      const bool cancelled = cancel != nullptr && cancel->cancelled();
      const bool late = late_ns != 0 && late_ns <= now_ns;
      return level != 0 && !started && !answered && !cancelled && !late;
    }
  };

  static constexpr const char* kPoisoned = "a row is bad";

  SimulatedClients(const SimulatedModel& model, Dice& dice, base::FakeClock& clock, SchedulingFixture& fixture)
      : model_(model), dice_(dice), clock_(clock), fixture_(fixture) {}

  void Send(const std::shared_ptr<const core::ModelVersion>& version, size_t load) {
    const size_t number = clients_.size();
    Client& client = *clients_.emplace_back(std::make_unique<Client>());
    core::QueuedRequest queued = DrawRequest(version, number);
    client.load = load;
    client.bytes = std::string(queued.request->inputs[0].data.view());
    client.shape = queued.request->inputs[0].shape;
    client.cancel = queued.request->cancel;
    client.sent_ns = queued.queued_ns;
    client.level = model_.LevelOf(*queued.request);
    client.late_ns = model_.LateNs(*queued.request, client.level, client.sent_ns);
    client.warmup = queued.warmup = client.level != 0 && client.shape[0] <= model_.rows_max() && dice_.OneIn(30);
    if (client.warmup) client.level = 0;
    if (open_.size() <= load) open_.resize(load + 1);
    ++open_[load];
    version->scheduler().Enqueue(std::move(queued));
  }

  void CancelOne() {
    if (clients_.empty()) return;
    const auto& flag = clients_[static_cast<size_t>(dice_.Below(static_cast<int64_t>(clients_.size())))]->cancel;
    if (flag != nullptr) flag->Cancel();
  }

  Client& at(size_t number) { return *clients_.at(number); }
  int64_t size() const { return static_cast<int64_t>(clients_.size()); }
  // Returns the number of unanswered requests to a load.
  int64_t open(size_t load) const { return load < open_.size() ? open_[load] : 0; }
  int64_t all_open() const { return size() - answered_; }
  const std::vector<std::unique_ptr<Client>>& all() const { return clients_; }

 private:
  core::QueuedRequest DrawRequest(const std::shared_ptr<const core::ModelVersion>& version, size_t number) {
    const bool larger = model_.takes_larger_requests() && dice_.OneIn(8);
    const int64_t rows =
        larger ? model_.rows_max() + 1 + dice_.Below(2 * model_.rows_max()) : 1 + dice_.Below(model_.rows_max());
    const auto columns = static_cast<size_t>(1 + (dice_.OneIn(4) ? dice_.Below(5) : dice_.Below(2)));
    core::QueuedRequest queued = fixture_.Request(
        version, [this, number](core::InferResponse response) { Answered(number, std::move(response)); }, columns,
        rows);
    core::InferRequest& request = *queued.request;
    std::string data;
    for (int64_t row = 0; row < rows; ++row) {
      data.append(columns * 4, static_cast<char>('a' + (number + static_cast<size_t>(row)) % 26));
    }
    request.inputs[0].data = base::BufferSlice(base::Buffer::CopyOf(data));
    request.id = std::to_string(number);
    if (dice_.OneIn(3)) request.cancel = std::make_shared<core::CancelFlag>();
    if (dice_.OneIn(4)) request.timeout_us = static_cast<uint64_t>(1000 * dice_.Below(20));
    if (dice_.OneIn(6)) request.deadline_ns = clock_.NowNs() + 1'000'000 * (1 + dice_.Below(20));
    if (dice_.OneIn(6)) request.parameters.emplace_back("p", true);
    request.priority = static_cast<uint64_t>(dice_.Below(4));
    return queued;
  }

  void Answered(size_t number, core::InferResponse response) {
    Client& client = *clients_[number];
    ASSERT_TRUE(response.final);
    ASSERT_FALSE(client.answered) << "answered twice";
    client.answered = true;
    ++answered_;
    --open_[client.load];
    EXPECT_EQ(response.id, std::to_string(number));
    const bool was_queued = response.status.code() != base::StatusCode::kResourceExhausted && client.level != 0;
    if (model_.answers_in_order() && was_queued) CheckOrder(number, client.load);
    if (response.status.ok()) {
      CheckAnswer(client, response.outputs[0]);
    } else if (model_.tells_requests_apart()) {
      CheckFailure(client, response.status);
    }
  }

  void CheckAnswer(const Client& client, const core::InferTensor& output) const {
    const size_t row_bytes = static_cast<size_t>(client.shape[1]) * 4;
    EXPECT_TRUE(model_.fault() != SimulatedFault::kPoison || !model_.AnyIsBad(client.bytes, row_bytes));
    const std::string expected = model_.WithoutBad(client.bytes, row_bytes);
    EXPECT_EQ(output.data.view(), expected) << "another request's answer";
    EXPECT_EQ(output.shape, (tensor::Shape{static_cast<int64_t>(expected.size() / row_bytes), client.shape[1]}));
  }

  // A request may fail in the engine only because of its own rows. A split request fails if a part lacks rows, as its
  // parts cannot be joined then.
  void CheckFailure(const Client& client, const base::Status& status) const {
    const bool engines = status.code() == base::StatusCode::kInternal || status.message() == kPoisoned;
    const bool parts = client.shape[0] > model_.rows_max() && model_.signature().splits_larger_requests;
    const bool earned = model_.AnyIsBad(client.bytes, static_cast<size_t>(client.shape[1]) * 4) &&
                        (model_.fault() == SimulatedFault::kPoison || parts);
    EXPECT_TRUE(!engines || earned) << "failed for others: " << status.ToString();
  }

  void CheckOrder(size_t number, size_t load) {
    if (answered_until_.size() <= load) answered_until_.resize(load + 1);
    EXPECT_GE(number + 1, answered_until_[load]) << "out of order";
    answered_until_[load] = number + 1;
  }

  const SimulatedModel& model_;
  Dice& dice_;
  base::FakeClock& clock_;
  SchedulingFixture& fixture_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<int64_t> open_;           // by load
  std::vector<size_t> answered_until_;  // by load: the number after the last answered one
  int64_t answered_ = 0;
};

}  // namespace inferd::scheduling
