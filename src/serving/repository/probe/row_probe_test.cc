#include "serving/repository/probe/row_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace inferd::repository {
namespace {

using tensor::DataType;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Row = std::vector<float>;
using Rows = std::vector<Row>;
using Function = std::function<base::Result<Rows>(const Rows&)>;

// Takes rows of four floats, returns rows of floats.
class ScriptedInstance final : public core::EngineInstance {
 public:
  ScriptedInstance(const Function& function, int& executions) : function_(function), executions_(executions) {}

  void Execute(core::Execution& execution) override {
    ++executions_;
    const core::ExecutionInput& input = execution.inputs.at(0);
    Rows rows(static_cast<size_t>(input.shape[0]), Row(4));
    for (size_t i = 0; i < rows.size(); ++i) {
      std::memcpy(rows[i].data(), input.pieces.at(0).data() + i * sizeof(float) * 4, sizeof(float) * 4);
    }
    const auto made = function_(rows);
    if (!made.has_value()) {
      execution.RespondAll({made.error()});
      return execution.Finish();
    }
    core::InferTensor tensor;
    tensor.datatype = DataType::kFp32;
    const size_t width = made->empty() ? 0 : made->front().size();
    tensor.shape = {static_cast<int64_t>(made->size()), static_cast<int64_t>(width)};
    base::Buffer buffer = execution.AllocateOutput(0, made->size() * width * sizeof(float));
    for (size_t i = 0; i < made->size(); ++i) {
      std::memcpy(buffer.data() + i * width * sizeof(float), (*made)[i].data(), width * sizeof(float));
    }
    tensor.data = base::BufferSlice(std::move(buffer));
    std::vector<core::InferTensor> outputs;
    outputs.push_back(std::move(tensor));
    execution.RespondAll({base::OkStatus(), std::move(outputs)});
    execution.Finish();
  }

 private:
  const Function& function_;
  int& executions_;
};

class ScriptedModel final : public core::EngineModel {
 public:
  explicit ScriptedModel(Function function) : function_(std::move(function)) {
    signature_.inputs = {{.name = "x", .datatype = DataType::kFp32, .shape = {-1, 4}}};
    signature_.outputs = {{.name = "y", .datatype = DataType::kFp32, .shape = {-1, -1}}};
  }

  const core::ModelSignature& signature() const override { return signature_; }
  core::ModelSignature& mutable_signature() { return signature_; }
  base::Result<std::unique_ptr<core::EngineInstance>> CreateInstance(const core::InstanceSpec& /*spec*/) override {
    return std::make_unique<ScriptedInstance>(function_, executions);
  }
  size_t input_alignment(int /*input*/) const override { return 1; }

  int executions = 0;

 private:
  const Function function_;
  core::ModelSignature signature_;
};

config::ProbeResult Probe(Function function) {
  ScriptedModel model(std::move(function));
  const base::SystemClock clock;
  return ProbeRows(model, {.time_max_ms = 60'000}, clock);
}

// Applies `each` to every row by itself.
Function RowWise(std::function<Row(Row)> each) {
  return [each = std::move(each)](const Rows& rows) -> base::Result<Rows> {
    Rows made;
    for (const Row& row : rows) made.push_back(each(row));
    return made;
  };
}

Row Doubled(Row row) {
  for (float& value : row) value *= 2;
  return row;
}

// Returns the first number of every row.
std::vector<float> Column(const Rows& rows) {
  std::vector<float> column;
  for (const Row& row : rows) column.push_back(row[0]);
  return column;
}

TEST(RowProbeTest, RowsThatAreByThemselvesAreIndependent) {
  const std::map<std::string, Function> models = {
      {"doubled", RowWise(Doubled)},
      {"sorted inside", RowWise([](Row row) {
         std::ranges::sort(row, [](float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; });
         return row;
       })},
      {"mean of the row", RowWise([](Row row) { return Row{std::accumulate(row.begin(), row.end(), 0.0F) / 4}; })},
      {"always the same", RowWise([](const Row&) { return Row{1, 2, 3}; })},
      {"NaN", RowWise([](const Row& row) { return Row{row[0] / 0.0F - row[0] / 0.0F}; })},
  };
  for (const auto& [name, function] : models) {
    const config::ProbeResult found = Probe(function);
    EXPECT_TRUE(found.independent) << name << ": " << found.found;
    EXPECT_EQ(found.found, "executions at load show that its rows do not influence each other");
  }
}

// Kernels for one row and for many sum in another order.
TEST(RowProbeTest, RoundingThatDependsOnTheNumberOfRowsIsNoInfluence) {
  const config::ProbeResult found = Probe([](const Rows& rows) -> base::Result<Rows> {
    Rows made;
    for (const Row& row : rows) made.push_back({row[0] * (rows.size() == 1 ? 1.000001F : 1.0F), 1});
    return made;
  });
  EXPECT_TRUE(found.independent) << found.found;
}

TEST(RowProbeTest, RowsThatInfluenceEachOtherAreFound) {
  const auto with = [](std::function<float(const Rows&, size_t)> value) {
    return [value](const Rows& rows) -> base::Result<Rows> {
      Rows made;
      for (size_t i = 0; i < rows.size(); ++i) made.push_back({value(rows, i), rows[i][1]});
      return made;
    };
  };
  const auto sum = [](const Rows& rows) {
    const auto column = Column(rows);
    return std::accumulate(column.begin(), column.end(), 0.0F);
  };
  const auto largest = [](const Rows& rows) {
    float most = -INFINITY;
    for (const Row& row : rows) most = std::max(most, row[0]);
    return most;
  };
  const std::map<std::string, Function> models = {
      {"minus the mean", with([&](const Rows& rows, size_t i) { return rows[i][0] - sum(rows) / rows.size(); })},
      {"by the largest", with([&](const Rows& rows, size_t i) { return rows[i][0] / largest(rows); })},
      {"whether it is the largest", with([&](const Rows& rows, size_t i) { return rows[i][0] == largest(rows); })},
      {"whether any is large", with([&](const Rows& rows, size_t i) { return rows[i][0] + (largest(rows) > 100); })},
      {"running sum", with([&](const Rows& rows, size_t i) { return sum({rows.begin(), rows.begin() + i + 1}); })},
      {"the row before", with([](const Rows& rows, size_t i) { return rows[i == 0 ? 0 : i - 1][0]; })},
      {"the first row", with([](const Rows& rows, size_t) { return rows[0][0]; })},
      {"ten rows further", with([](const Rows& rows, size_t i) { return rows[(i + 10) % rows.size()][0]; })},
      {"its number", with([](const Rows& rows, size_t i) { return rows[i][0] + static_cast<float>(i); })},
      {"how many", with([](const Rows& rows, size_t i) { return rows[i][0] / static_cast<float>(rows.size()); })},
      {"nothing but in NaN", with([&](const Rows& rows, size_t i) { return rows[i][0] + 0 * sum(rows); })},
      {"how many are equal", with([](const Rows& rows, size_t i) { return 1.0F * std::ranges::count(rows, rows[i]); })},
      {"more than 16 rows", with([](const Rows& rows, size_t i) { return rows[i][0] + (rows.size() > 16 ? 1 : 0); })},
      {"in turn", [](const Rows& rows) -> base::Result<Rows> { return Rows(rows.rbegin(), rows.rend()); }},
      {"sorted",
       [](const Rows& rows) -> base::Result<Rows> {
         Rows made = rows;
         std::ranges::stable_sort(made, {}, [](const Row& row) { return std::isnan(row[0]) ? 9e9F : row[0]; });
         return made;
       }},
      {"without the negative",
       [](const Rows& rows) -> base::Result<Rows> {
         Rows made;
         std::ranges::copy_if(rows, std::back_inserter(made), [](const Row& row) { return !(row[0] < 0); });
         return made;
       }},
      {"all in one", [](const Rows& rows) -> base::Result<Rows> { return Rows{rows.front()}; }},
      {"one more",
       [](const Rows& rows) -> base::Result<Rows> {
         Rows made = rows;
         made.push_back(rows.front());
         return made;
       }},
      {"as wide as many",
       [](const Rows& rows) -> base::Result<Rows> { return Rows(rows.size(), Row(rows.size(), 1)); }},
      {"four at most",
       [](const Rows& rows) -> base::Result<Rows> {
         if (rows.size() > 4) return std::unexpected(base::InvalidArgument("a table of four"));
         return rows;
       }},
      {"two at least",
       [](const Rows& rows) -> base::Result<Rows> {
         if (rows.size() < 2) return std::unexpected(base::InvalidArgument("one is too few"));
         return rows;
       }},
      {"none at all", [](const Rows&) -> base::Result<Rows> { return std::unexpected(base::Internal("never")); }},
  };
  for (const auto& [name, function] : models) EXPECT_FALSE(Probe(function).independent) << name;
}

TEST(RowProbeTest, WhatWasFoundIsSaid) {
  EXPECT_THAT(Probe([](const Rows& rows) -> base::Result<Rows> { return Rows(rows.rbegin(), rows.rend()); }).found,
              StartsWith("output 'y' of a row changes when 3 rows are executed together"));
  EXPECT_THAT(Probe([](const Rows& rows) -> base::Result<Rows> { return Rows{rows.front()}; }).found,
              StartsWith("output 'y' of 3 rows has shape [1,4]"));
  EXPECT_THAT(Probe([](const Rows&) -> base::Result<Rows> { return std::unexpected(base::Internal("never")); }).found,
              StartsWith("no row that was tried is one that the model takes: never"));
}

TEST(RowProbeTest, ADifferentAnswerEachTimeIsAnInfluence) {
  float calls = 0;
  EXPECT_FALSE(Probe(RowWise([&](const Row&) { return Row{++calls}; })).independent);
}

TEST(RowProbeTest, WhatTheModelRefusesShowsNothing) {
  const config::ProbeResult found = Probe([](const Rows& rows) -> base::Result<Rows> {
    for (const Row& row : rows) {
      if (!std::isfinite(row[0]) || std::abs(row[0]) > 100) return std::unexpected(base::InvalidArgument("too large"));
    }
    return rows;
  });
  EXPECT_TRUE(found.independent) << found.found;
}

TEST(RowProbeTest, TheCostIsBounded) {
  base::FakeClock clock;
  ScriptedModel slow([&](const Rows& rows) -> base::Result<Rows> {
    clock.AdvanceMs(10);
    return rows;
  });
  EXPECT_TRUE(ProbeRows(slow, {.time_max_ms = 100}, clock).independent) << "the first checks fit into five times that";
  EXPECT_LE(slow.executions, 50);
  const int first_checks = slow.executions;
  ScriptedModel slower([&](const Rows& rows) -> base::Result<Rows> {
    clock.AdvanceMs(100);
    return rows;
  });
  const config::ProbeResult found = ProbeRows(slower, {.time_max_ms = 100}, clock);
  EXPECT_FALSE(found.independent);
  EXPECT_THAT(found.found, StartsWith("whether its rows influence each other takes too long to see"));
  EXPECT_LT(slower.executions, first_checks);
  ScriptedModel quick([](const Rows& rows) -> base::Result<Rows> { return rows; });
  EXPECT_TRUE(ProbeRows(quick, {}, clock).independent);
  EXPECT_LE(quick.executions, 250);
  EXPECT_GT(quick.executions, first_checks);
}

TEST(RowProbeTest, SomeModelsAreNotExecuted) {
  ScriptedModel model([](const Rows& rows) -> base::Result<Rows> { return rows; });
  const base::SystemClock clock;
  EXPECT_THAT(ProbeRows(model, {.execution_bytes_max = 40}, clock).found, HasSubstr("one row is too large"));
  model.mutable_signature().decoupled = true;
  EXPECT_FALSE(ProbeRows(model, {}, clock).independent);
  EXPECT_EQ(model.executions, 0);
}

}  // namespace
}  // namespace inferd::repository
