#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "scheduling/simulated_clients_fixture.h"

namespace inferd::scheduling {

// The engine of a property test: sees to it that executions are what the model was promised, and answers, fails or
// keeps them. On one thread.
class SimulatedEngine final {
 public:
  SimulatedEngine(const SimulatedModel& model, Dice& dice, SimulatedClients& clients)
      : model_(model), dice_(dice), clients_(clients) {}

  // Of its members' load.
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
    EXPECT_TRUE(model_.AllowsRows(rows)) << rows << " rows";
    return load;
  }

  // Now, or when FinishOne() has come to it.
  void End(core::Execution& execution) {
    if (dice_.OneIn(8)) {
      kept_.push_back(&execution);
    } else {
      Finish(execution);
    }
  }
  void FinishOne() {
    if (kept_.empty()) return;
    const auto it = kept_.begin() + dice_.Below(static_cast<int64_t>(kept_.size()));
    core::Execution& execution = **it;
    kept_.erase(it);
    Finish(execution);
  }
  bool keeps_any() const { return !kept_.empty(); }

 private:
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

  // Of one level and kind, whoever came first runs first; but for those that are alone, or tried again.
  void CheckOrder(size_t number, const SimulatedClients::Client& client, int64_t columns) {
    if (!model_.executes_in_order() || client.level == 0 || client.started) return;
    if (client.shape[0] > model_.rows_max()) return;
    size_t& latest = latest_[{client.load, client.level, columns}];
    EXPECT_GE(number + 1, latest) << "overtaken";
    latest = number + 1;
  }

  void Finish(core::Execution& execution) {
    switch (dice_.Below(10)) {
      case 0: execution.RespondAll(base::Internal("all failed"), {}); break;
      case 1: break;  // forgets to answer
      case 2:
        for (size_t i = 0; i < execution.request_count(); ++i)
          execution.Respond(i, base::Internal("it failed"), {}, true);
        break;
      default: return testing::FakeEngine::Identity(execution);
    }
    execution.Finish();
  }

  const SimulatedModel& model_;
  Dice& dice_;
  SimulatedClients& clients_;
  std::vector<core::Execution*> kept_;
  std::map<std::tuple<size_t, uint64_t, int64_t>, size_t> latest_;  // by load, level and columns, one more
};

}  // namespace inferd::scheduling
