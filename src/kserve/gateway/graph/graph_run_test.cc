#include "kserve/gateway/graph/graph_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "kserve/model/objects_fixture.h"

namespace inferd::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

base::BufferSlice Body(std::string_view text) { return base::BufferSlice(base::Buffer::CopyOf(text)); }

// Answers from a table, in the order of the calls, or in reverse order with `last_first`.
class FakeCaller final : public StepCaller {
 public:
  void Call(const Target& target, base::BufferSlice body, Done done) override {
    asked.push_back(target.host + " " + std::string(body.view()));
    waiting_.push_back({target.host, std::move(done)});
  }
  uint32_t DrawLot() override { return lot; }

  void AnswerAll() {
    while (!waiting_.empty()) {
      auto& [host, done] = last_first ? waiting_.back() : waiting_.front();
      const auto answer = answers.find(host);
      const std::string name = host;
      Done told = std::move(done);
      if (last_first) {
        waiting_.pop_back();
      } else {
        waiting_.pop_front();
      }
      if (answer == answers.end()) {
        told({.status = 200, .content_type = "application/json", .body = Body("{\"" + name + "\":1}")});
      } else {
        told({.status = answer->second.first, .content_type = "text/plain", .body = Body(answer->second.second)});
      }
    }
  }

  std::map<std::string, std::pair<int, std::string>> answers;  // the default is 200 {"NAME":1}
  std::vector<std::string> asked;
  uint32_t lot = 0;
  bool last_first = false;

 private:
  std::deque<std::pair<std::string, Done>> waiting_;
};

Plan PlanOf(std::string_view nodes) {
  const auto graph = model::ParseAs<model::InferenceGraph>(
      "apiVersion: serving.kserve.io/v1alpha1\nkind: InferenceGraph\nmetadata: {name: g}\nspec:\n  nodes:\n" +
      std::string(nodes));
  auto plan = MakePlan(graph, [](const std::string& name) { return "http://" + name + "/"; });
  EXPECT_TRUE(plan.has_value()) << (plan.has_value() ? "" : plan.error().message());
  return plan.value_or(Plan());
}

struct Case {
  std::string_view nodes;
  std::string_view request;
  std::vector<std::string> asked;
  int status;
  std::string_view answer;
  std::map<std::string, std::pair<int, std::string>> answers = {};
  uint32_t lot = 0;
};

class GraphRunTest : public testing::TestWithParam<Case> {};

TEST_P(GraphRunTest, AsKServesRouter) {
  const Case& given = GetParam();
  for (const bool last_first : {false, true}) {
    const Plan plan = PlanOf(given.nodes);
    FakeCaller caller;
    caller.answers = given.answers;
    caller.lot = given.lot;
    caller.last_first = last_first;
    GraphRun run(plan, caller);
    std::optional<gateway::InnerAnswer> answer;
    run.Start(Body(given.request), [&](gateway::InnerAnswer told) {
      EXPECT_FALSE(answer.has_value()) << "told twice";
      answer = std::move(told);
    });
    caller.AnswerAll();
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(caller.asked, given.asked);
    EXPECT_EQ(answer->status, given.status);
    EXPECT_EQ(answer->body.view(), given.answer);
  }
}

constexpr std::string_view kNoRoute =
    R"({"error":"Failed to process request","cause":"None of the routes matched with the switch condition"})";

INSTANTIATE_TEST_SUITE_P(
    Sequences, GraphRunTest,
    testing::Values(
        Case{"    root: {routerType: Sequence, steps: [{serviceName: a}]}\n", "{}", {"a {}"}, 200, R"({"a":1})"},
        // Each step gets the request, unless it says $response.
        Case{"    root: {routerType: Sequence, steps: [{serviceName: a}, {serviceName: b}]}\n",
             "{}",
             {"a {}", "b {}"},
             200,
             R"({"b":1})"},
        Case{"    root: {routerType: Sequence, steps: [{serviceName: a, data: $response}, {serviceName: b, data: "
             "$response}, {serviceName: c, data: $request}]}\n",
             "{}",
             {"a {}", R"(b {"a":1})", "c {}"},
             200,
             R"({"c":1})"},
        // A condition is checked on the previous response; for the first step, on the request.
        Case{"    root: {routerType: Sequence, steps: [{serviceName: a}, {serviceName: b, condition: a}]}\n",
             "{}",
             {"a {}", "b {}"},
             200,
             R"({"b":1})"},
        Case{"    root: {routerType: Sequence, steps: [{serviceName: a}, {serviceName: b, condition: x}, {serviceName: "
             "c}]}\n",
             "{}",
             {"a {}"},
             200,
             R"({"a":1})"},
        Case{"    root: {routerType: Sequence, steps: [{serviceName: a, condition: x}]}\n",
             R"({"x":1})",
             {R"(a {"x":1})"},
             200,
             R"({"a":1})"},
        Case{"    root: {routerType: Sequence, steps: [{serviceName: a, condition: x}]}\n",
             R"({"y":1})",
             {},
             200,
             R"({"y":1})"},
        Case{"    root: {routerType: Sequence, steps: [{serviceName: a}, {serviceName: b, condition: x}]}\n",
             "{}",
             {"a {}"},
             500,
             R"({"error":"Failed to process request","cause":"invalid response"})",
             {{"a", {200, "no JSON"}}}},
        // A step that fails does not end the sequence, unless it is Hard. The last step's status is the result's.
        Case{"    root: {routerType: Sequence, steps: [{serviceName: a}, {serviceName: b, data: $response}]}\n",
             "{}",
             {"a {}", R"(b {"error":"x"})"},
             200,
             R"({"b":1})",
             {{"a", {500, R"({"error":"x"})"}}}},
        Case{"    root: {routerType: Sequence, steps: [{serviceName: a, dependency: Hard}, {serviceName: b}]}\n",
             "{}",
             {"a {}"},
             503,
             R"({"error":"x"})",
             {{"a", {503, R"({"error":"x"})"}}}},
        Case{"    root: {routerType: Sequence, steps: [{serviceName: a}]}\n",
             "{}",
             {"a {}"},
             404,
             "nothing",
             {{"a", {404, "nothing"}}}},
        // A node in a node.
        Case{"    root: {routerType: Sequence, steps: [{nodeName: m, dependency: Hard}, {serviceName: c, data: "
             "$response}]}\n    m: {routerType: Sequence, steps: [{serviceName: a}, {serviceName: b}]}\n",
             "{}",
             {"a {}", "b {}", R"(c {"b":1})"},
             200,
             R"({"c":1})"}));

INSTANTIATE_TEST_SUITE_P(
    SwitchesAndSplitters, GraphRunTest,
    testing::Values(
        Case{
            "    root: {routerType: Switch, steps: [{serviceName: a, condition: \"[@this].#(x==1)\"}, {serviceName: b, "
            "condition: \"[@this].#(x==2)\"}]}\n",
            R"({"x":2})",
            {R"(b {"x":2})"},
            200,
            R"({"b":1})"},
        Case{
            "    root: {routerType: Switch, steps: [{serviceName: a, condition: x}, {serviceName: b, condition: x}]}\n",
            R"({"x":2})",
            {R"(a {"x":2})"},
            500,
            "broken",
            {{"a", {500, "broken"}}}},
        Case{"    root: {routerType: Switch, steps: [{serviceName: a, condition: z}, {serviceName: b}]}\n",
             R"({"x":2})",
             {},
             404,
             kNoRoute},
        Case{"    root: {routerType: Switch, steps: [{serviceName: a, condition: z}]}\n", "no JSON", {}, 404, kNoRoute},
        Case{"    root: {routerType: Sequence, steps: [{nodeName: m}, {serviceName: a}]}\n    m: {routerType: Switch, "
             "steps: [{serviceName: a, condition: z}]}\n",
             "{}",
             {},
             404,
             kNoRoute},
        Case{"    root: {routerType: Splitter, steps: [{serviceName: a, weight: 20}, {serviceName: b, weight: 80}]}\n",
             "{}",
             {"a {}"},
             200,
             R"({"a":1})",
             {},
             19},
        Case{"    root: {routerType: Splitter, steps: [{serviceName: a, weight: 20}, {serviceName: b, weight: 80}]}\n",
             "{}",
             {"b {}"},
             200,
             R"({"b":1})",
             {},
             20},
        Case{"    root: {routerType: Splitter, steps: [{serviceName: a, weight: 0}, {serviceName: b, weight: 100}]}\n",
             "{}",
             {"b {}"},
             200,
             R"({"b":1})",
             {},
             99}));

INSTANTIATE_TEST_SUITE_P(
    Ensembles, GraphRunTest,
    testing::Values(
        Case{"    root: {routerType: Ensemble, steps: [{serviceName: a, name: one}, {serviceName: b}]}\n",
             "{}",
             {"a {}", "b {}"},
             200,
             R"({"one":{"a":1},"1":{"b":1}})"},
        Case{"    root: {routerType: Ensemble, steps: [{serviceName: a}, {serviceName: b}]}\n",
             "{}",
             {"a {}", "b {}"},
             200,
             R"({"0":{"error":"x"},"1":{"b":1}})",
             {{"a", {500, R"({"error":"x"})"}}}},
        Case{"    root: {routerType: Ensemble, steps: [{serviceName: a}, {serviceName: b, dependency: Hard}, "
             "{serviceName: c, dependency: Hard}]}\n",
             "{}",
             {"a {}", "b {}", "c {}"},
             503,
             "b",
             {{"b", {503, "b"}}, {"c", {504, "c"}}}},
        Case{"    root: {routerType: Ensemble, steps: [{serviceName: a}, {serviceName: b}]}\n",
             "{}",
             {"a {}", "b {}"},
             500,
             R"({"error":"Failed to process request","cause":"step '1' of node 'root' did not answer with JSON"})",
             {{"b", {200, "no"}}}}));

TEST(GraphRunTest, WhatARequestCanMakeItDoIsBounded) {
  // Each node calls the next one twice: 2^20 steps.
  std::string nodes;
  for (int i = 0; i < 20; ++i) {
    const std::string next = i == 19 ? "serviceName: a" : "nodeName: n" + std::to_string(i + 1);
    nodes += "    " + (i == 0 ? "root" : "n" + std::to_string(i)) + ": {routerType: Ensemble, steps: [{" + next +
             "}, {" + next + "}]}\n";
  }
  std::string deep;
  for (int i = 0; i < 100; ++i) {
    const std::string next = i == 99 ? "serviceName: a" : "nodeName: n" + std::to_string(i + 1);
    deep +=
        "    " + (i == 0 ? "root" : "n" + std::to_string(i)) + ": {routerType: Sequence, steps: [{" + next + "}]}\n";
  }
  for (const auto& [text, why] : {std::pair(nodes, "more than 1000 steps"), std::pair(deep, "more than 64 nodes")}) {
    const Plan plan = PlanOf(text);
    FakeCaller caller;
    GraphRun run(plan, caller);
    std::optional<gateway::InnerAnswer> answer;
    run.Start(Body("{}"), [&](gateway::InnerAnswer told) { answer = std::move(told); });
    caller.AnswerAll();
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->status, 500);
    EXPECT_THAT(std::string(answer->body.view()), HasSubstr(why));
    EXPECT_LE(caller.asked.size(), GraphRun::kStepsMax);
  }
}

}  // namespace
}  // namespace inferd::graph
