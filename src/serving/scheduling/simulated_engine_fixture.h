#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "serving/scheduling/simulated_clients_fixture.h"

namespace inferd::scheduling {

// The engine of a property test: checks that executions keep the promises to the model, and answers, fails or holds
// them. Single-threaded.
class SimulatedEngine final {
 public:
  SimulatedEngine(const SimulatedModel& model, Dice& dice, SimulatedClients& clients)
      : model_(model), dice_(dice), clients_(clients) {}

  // Checks an execution. Returns the load of its members.
  size_t Begin(core::Execution& execution) {
    int64_t rows = 0;
    size_t members = 0;
    size_t load = 0;
    for (size_t i = 0; i < execution.request_count(); ++i) {
      const core::InferRequest& request = execution.request(i);
      rows += execution.rows[i];
      if (i > 0 && &request == &execution.request(i - 1)) {
        EXPECT_EQ(i + 1, execution.request_count()) << "padding is not last";
        break;
      }
      ++members;
      load = BeginMember(request, execution.request(0));
    }
    EXPECT_TRUE(members == 1 || rows <= model_.rows_max()) << rows << " rows";
    EXPECT_TRUE(members == 1 || model_.batches());
    EXPECT_EQ(rows, execution.inputs[0].shape[0]);
    EXPECT_TRUE(!model_.fills_up() || model_.AllowsRows(rows)) << rows << " rows";
    EXPECT_LE(++unfinished_[load], model_.instances() * model_.executions_max()) << "more than the instances take";
    return load;
  }

  // Finishes the execution now, or later in FinishOne().
  void End(core::Execution& execution, size_t load) {
    if (dice_.OneIn(8)) {
      kept_.push_back({&execution, load});
    } else {
      Finish({&execution, load});
    }
  }
  void FinishOne() {
    if (kept_.empty()) return;
    const auto it = kept_.begin() + dice_.Below(static_cast<int64_t>(kept_.size()));
    const Kept kept = *it;
    kept_.erase(it);
    Finish(kept);
  }
  bool keeps_any() const { return !kept_.empty(); }

 private:
  struct Kept {
    core::Execution* execution = nullptr;
    size_t load = 0;
  };

  size_t BeginMember(const core::InferRequest& request, const core::InferRequest& first) {
    const size_t number = std::stoul(request.id);
    SimulatedClients::Client& client = clients_.at(number);
    EXPECT_EQ(client.load, clients_.at(std::stoul(first.id)).load) << "of another load";
    EXPECT_EQ(request.inputs[0].shape[1], first.inputs[0].shape[1]) << "kinds are mixed";
    EXPECT_TRUE(client.level != 0 || client.warmup) << "was refused";
    CheckOrder(number, client, request.inputs[0].shape[1]);
    client.started = true;
    return client.load;
  }

  // Requests of one level and kind run in the order of their arrival, except those that run alone or again.
  void CheckOrder(size_t number, const SimulatedClients::Client& client, int64_t columns) {
    if (!model_.executes_in_order() || client.level == 0 || client.started) return;
    if (client.shape[0] > model_.rows_max()) return;
    size_t& latest = latest_[{client.load, client.level, columns}];
    EXPECT_GE(number + 1, latest) << "overtaken";
    latest = number + 1;
  }

  void Finish(Kept kept) {
    --unfinished_[kept.load];
    core::Execution& execution = *kept.execution;
    switch (model_.fault()) {
      case SimulatedFault::kRandom: return FinishAtRandom(execution);
      case SimulatedFault::kPoison: return FinishPoisoned(execution);
      case SimulatedFault::kDropsRows: return FinishWithoutBadRows(execution);
      case SimulatedFault::kFailsTogether: break;
    }
    const bool padded = &execution.request(execution.request_count() - 1) == &execution.request(0);
    if (padded || execution.request_count() == 1) return support::FakeEngine::Identity(execution);
    execution.RespondAll({base::Internal("one at a time")});
    execution.Finish();
  }

  static std::string BytesOf(const core::Execution& execution) {
    std::string bytes;
    for (const base::BufferSlice& piece : execution.inputs[0].pieces) bytes += piece.view();
    return bytes;
  }
  static size_t RowBytes(const core::Execution& execution) {
    return static_cast<size_t>(execution.inputs[0].shape[1]) * 4;
  }

  // Reports the failure, or finishes without a response.
  void FinishPoisoned(core::Execution& execution) {
    if (!model_.AnyIsBad(BytesOf(execution), RowBytes(execution))) return support::FakeEngine::Identity(execution);
    if (!dice_.OneIn(4)) execution.RespondAll({base::InvalidArgument(SimulatedClients::kPoisoned)});
    execution.Finish();
  }

  void FinishWithoutBadRows(core::Execution& execution) {
    const size_t row_bytes = RowBytes(execution);
    const std::string good = model_.WithoutBad(BytesOf(execution), row_bytes);
    std::vector<core::InferTensor> tensors(1);
    tensors[0].datatype = tensor::DataType::kInt32;
    tensors[0].shape = {static_cast<int64_t>(good.size() / row_bytes), execution.inputs[0].shape[1]};
    tensors[0].data = base::BufferSlice(base::Buffer::CopyOf(good));
    execution.RespondAll({base::OkStatus(), std::move(tensors)});
    execution.Finish();
  }

  void FinishAtRandom(core::Execution& execution) {
    switch (dice_.Below(10)) {
      case 0: execution.RespondAll({base::Internal("all failed")}); break;
      case 1: break;  // forgets to answer
      case 2:
        for (size_t i = 0; i < execution.request_count(); ++i) execution.Respond(i, {base::Internal("it failed")});
        break;
      default: return support::FakeEngine::Identity(execution);
    }
    execution.Finish();
  }

  const SimulatedModel& model_;
  Dice& dice_;
  SimulatedClients& clients_;
  std::vector<Kept> kept_;
  std::map<size_t, int64_t> unfinished_;                            // executions, by load
  std::map<std::tuple<size_t, uint64_t, int64_t>, size_t> latest_;  // by load, level, columns: one more than
};

}  // namespace inferd::scheduling
