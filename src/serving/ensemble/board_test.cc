#include "serving/ensemble/board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace inferd::ensemble {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The names of ensemble tensors, which are the models' names too.
struct StepOf {
  std::vector<std::string> takes;
  std::vector<std::string> gives;
  bool decoupled = false;
};

// An ensemble with the input "in" and the given outputs. The request wants all, or those with the indices `wanted`.
class Bench {
 public:
  Bench(const std::vector<StepOf>& steps, const std::vector<std::string>& outputs, uint32_t inflight_max = 0,
        std::vector<int> wanted = {}) {
    config::ModelConfig config;
    config.name = "e";
    config.inputs.push_back({.name = "in", .datatype = tensor::DataType::kBytes, .dims = {1}});
    for (const std::string& output : outputs) {
      config.outputs.push_back({.name = output, .datatype = tensor::DataType::kBytes, .dims = {1}});
    }
    auto ensemble = std::make_shared<config::Ensemble>();
    ensemble->inflight_requests_max = inflight_max;
    std::vector<core::ModelSignature> models;
    for (const StepOf& step : steps) {
      config::EnsembleStep& made = ensemble->steps.emplace_back();
      made.model = "m" + std::to_string(models.size());
      core::ModelSignature& model = models.emplace_back();
      model.decoupled = step.decoupled;
      for (const std::string& name : step.takes) {
        made.inputs[name] = name;
        model.inputs.emplace_back().name = name;
      }
      for (const std::string& name : step.gives) {
        made.outputs[name] = name;
        model.outputs.emplace_back().name = name;
      }
    }
    config.ensemble = ensemble;
    plan_ = MakePlan(config);
    std::vector<StepModels> pointers;
    for (const core::ModelSignature& model : models) pointers.push_back({&model});
    Deepen(plan_, pointers);
    const bool all = wanted.empty();
    for (size_t i = 0; all && i < outputs.size(); ++i) wanted.push_back(static_cast<int>(i));
    board_ = std::make_unique<Board>(plan_, wanted, request_);
    board_->SetInput(0, Value("0"));
    board_->Begin();
    Follow();
  }

  // Gives a response with `text` in each output.
  base::Status Give(const Board::Task& task, const std::string& text) {
    std::vector<core::InferTensor> outputs;
    for (const Plan::Output& output : plan_.steps[task.step].outputs) {
      outputs.push_back(Value(text));
      outputs.back().name = output.name;
    }
    const base::Status status = board_->Take(task, std::move(outputs), {});
    Follow();
    return status;
  }
  // Gives a response without outputs.
  base::Status GiveNothing(const Board::Task& task) {
    const base::Status status = board_->Take(task, {}, {});
    Follow();
    return status;
  }
  void Finish(const Board::Task& task) {
    board_->Finish(task, {});
    Follow();
  }
  void GiveOne(const Board::Task& task, const std::string& text) {
    ASSERT_TRUE(Give(task, text).ok());
    Finish(task);
  }

  // Returns the only begun task of that step that was not returned yet.
  Board::Task Begun(size_t step) {
    EXPECT_FALSE(begun[step].empty()) << step;
    if (begun[step].empty()) return {};
    const Board::Task task = begun[step].front();
    begun[step].erase(begun[step].begin());
    return task;
  }
  std::string Taken(const Board::Task& task, const std::string& name) {
    const core::InferTensor* const found = board_->Find(task, plan_.FindTensor(name));
    return found == nullptr ? "none" : std::string(found->data.view());
  }

  std::map<size_t, std::vector<Board::Task>> begun;
  std::vector<std::string> answers;
  std::vector<size_t> passed_over;
  Board& board() { return *board_; }

 private:
  static core::InferTensor Value(const std::string& text) {
    core::InferTensor value;
    value.data = base::BufferSlice(base::Buffer::CopyOf(text));
    return value;
  }
  void Follow() {
    for (const Board::Task& task : board_->TakeTasks()) begun[task.step].push_back(task);
    for (const size_t step : board_->TakePassedOver()) passed_over.push_back(step);
    for (const Board::Answer& answer : board_->TakeAnswers()) {
      std::string text;
      for (const core::InferTensor& output : answer.outputs) {
        text += output.name + "=" + std::string(output.data.view()) + " ";
      }
      answers.push_back(std::move(text));
    }
    board_->TakeRemains();
  }

  core::InferRequest request_;
  Plan plan_;
  std::unique_ptr<Board> board_;
};

TEST(BoardTest, StepsBeginWhenAllIsThere) {
  Bench bench({{{"in"}, {"a"}}, {{"in"}, {"b"}}, {{"a", "b"}, {"out"}}}, {"out"});
  const Board::Task first = bench.Begun(0);
  bench.GiveOne(bench.Begun(1), "B");
  EXPECT_THAT(bench.begun[2], IsEmpty());
  bench.GiveOne(first, "A");
  const Board::Task last = bench.Begun(2);
  EXPECT_EQ(bench.Taken(last, "a") + bench.Taken(last, "b"), "AB");
  EXPECT_FALSE(bench.board().done());
  bench.GiveOne(last, "C");
  EXPECT_TRUE(bench.board().done());
  const auto answer = bench.board().TakeAnswer();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->outputs[0].data.view(), "C");
}

TEST(BoardTest, EachResponseGoesOnByItselfAndAnswersAreInItsOrder) {
  Bench bench({{{"in"}, {"part"}, true}, {{"part", "in"}, {"out"}}}, {"out"});
  const Board::Task stream = bench.Begun(0);
  ASSERT_TRUE(bench.Give(stream, "x").ok());
  const Board::Task x = bench.Begun(1);
  ASSERT_TRUE(bench.Give(stream, "y").ok());
  const Board::Task y = bench.Begun(1);
  EXPECT_EQ(bench.Taken(y, "part") + bench.Taken(y, "in"), "y0");
  bench.GiveOne(y, "Y");
  EXPECT_THAT(bench.answers, IsEmpty()) << "that of x comes first";
  bench.GiveOne(x, "X");
  EXPECT_THAT(bench.answers, ElementsAre("out=X ", "out=Y "));
  EXPECT_FALSE(bench.board().done());
  bench.Finish(stream);
  EXPECT_TRUE(bench.board().done());
  EXPECT_THAT(bench.answers, SizeIs(2));
}

TEST(BoardTest, WhatAModelLeavesOutIsLeftOutOfTheAnswer) {
  Bench bench({{{"in"}, {"a"}}, {{"in"}, {"b"}}}, {"a", "b"});
  const Board::Task first = bench.Begun(0);
  ASSERT_TRUE(bench.GiveNothing(first).ok());
  bench.Finish(first);
  bench.GiveOne(bench.Begun(1), "B");
  const auto answer = bench.board().TakeAnswer();
  ASSERT_TRUE(answer.has_value()) << answer.error().message();
  ASSERT_THAT(answer->outputs, SizeIs(2));
  EXPECT_TRUE(answer->outputs[0].name.empty());
  EXPECT_EQ(answer->outputs[1].data.view(), "B");
}

TEST(BoardTest, AStepThatNeedsWhatWasLeftOutIsNotTaken) {
  Bench bench({{{"in"}, {"a"}}, {{"a"}, {"out"}}}, {"out"});
  ASSERT_TRUE(bench.GiveNothing(bench.Begun(0)).ok());
  EXPECT_THAT(bench.passed_over, ElementsAre(1));
  EXPECT_THAT(bench.board().TakeAnswer().error().message(), HasSubstr("no step gave the output 'out'"));
}

TEST(BoardTest, EachResponseMayLeaveSomethingOut) {
  Bench bench({{{"in"}, {"part"}, true}}, {"part"});
  const Board::Task stream = bench.Begun(0);
  ASSERT_TRUE(bench.Give(stream, "x").ok());
  ASSERT_TRUE(bench.GiveNothing(stream).ok());
  bench.Finish(stream);
  EXPECT_THAT(bench.answers, ElementsAre("part=x ", "= "));
}

TEST(BoardTest, NoResponseIsNoAnswer) {
  Bench bench({{{"in"}, {"part"}, true}, {{"part"}, {"out"}}}, {"out"});
  bench.Finish(bench.Begun(0));
  EXPECT_TRUE(bench.board().done());
  EXPECT_THAT(bench.answers, IsEmpty());
}

TEST(BoardTest, WhatComesOnceIsInEachAnswer) {
  Bench bench({{{"in"}, {"part"}, true}, {{"in"}, {"once"}}}, {"part", "once"});
  const Board::Task stream = bench.Begun(0);
  ASSERT_TRUE(bench.Give(stream, "x").ok());
  EXPECT_THAT(bench.answers, IsEmpty());
  bench.GiveOne(bench.Begun(1), "1");
  ASSERT_TRUE(bench.Give(stream, "y").ok());
  bench.Finish(stream);
  EXPECT_THAT(bench.answers, ElementsAre("part=x once=1 ", "part=y once=1 "));
}

TEST(BoardTest, ResponsesOfTwoModelsMeetByNumber) {
  Bench bench({{{"in"}, {"a"}, true}, {{"in"}, {"b"}, true}, {{"a", "b"}, {"out"}}}, {"out"});
  const Board::Task a = bench.Begun(0);
  const Board::Task b = bench.Begun(1);
  for (const char* text : {"a0", "a1", "a2"}) ASSERT_TRUE(bench.Give(a, text).ok());
  EXPECT_THAT(bench.begun[2], IsEmpty());
  ASSERT_TRUE(bench.Give(b, "b0").ok());
  const Board::Task both = bench.Begun(2);
  EXPECT_EQ(bench.Taken(both, "a") + bench.Taken(both, "b"), "a0b0");
  bench.GiveOne(both, "0");
  ASSERT_TRUE(bench.Give(b, "b1").ok());
  bench.Finish(b);
  EXPECT_THAT(bench.passed_over, ElementsAre(2)) << "a2 remains alone";
  ASSERT_TRUE(bench.Give(a, "a3").ok());
  bench.Finish(a);
  EXPECT_THAT(bench.passed_over, ElementsAre(2, 2));
  EXPECT_FALSE(bench.board().done());
  bench.GiveOne(bench.Begun(2), "1");
  EXPECT_TRUE(bench.board().done());
  EXPECT_THAT(bench.answers, ElementsAre("out=0 ", "out=1 "));
}

TEST(BoardTest, OneBehindTheOther) {
  Bench bench({{{"in"}, {"a"}, true}, {{"a"}, {"b"}, true}, {{"b"}, {"out"}}}, {"out", "a"});
  const Board::Task outer = bench.Begun(0);
  ASSERT_TRUE(bench.Give(outer, "0").ok());
  ASSERT_TRUE(bench.Give(outer, "1").ok());
  bench.Finish(outer);
  const Board::Task first = bench.Begun(1);
  const Board::Task second = bench.Begun(1);
  ASSERT_TRUE(bench.Give(second, "10").ok());
  ASSERT_TRUE(bench.Give(first, "00").ok());
  ASSERT_TRUE(bench.Give(second, "11").ok());
  for (const char* text : {"10", "00", "11"}) bench.GiveOne(bench.Begun(2), text);
  bench.Finish(first);
  EXPECT_FALSE(bench.board().done());
  bench.Finish(second);
  EXPECT_TRUE(bench.board().done());
  EXPECT_THAT(bench.answers, ElementsAre("out=10 a=1 ", "out=00 a=0 ", "out=11 a=1 "));
}

TEST(BoardTest, StepsThatNoWantedOutputNeedsAreNotTaken) {
  const std::vector<StepOf> steps = {
      {{"in"}, {"a"}}, {{"in"}, {"b"}}, {{"a"}, {"x"}}, {{"a", "b"}, {"y"}}, {{"y"}, {"z"}}};
  Bench bench(steps, {"x", "y", "z"}, 0, {0});
  bench.GiveOne(bench.Begun(0), "A");
  bench.GiveOne(bench.Begun(2), "X");
  EXPECT_THAT(bench.passed_over, ElementsAre(1, 3, 4));
  EXPECT_TRUE(bench.board().done());
  EXPECT_EQ(bench.board().TakeAnswer()->outputs[0].data.view(), "X");
  Bench middle(steps, {"x", "y", "z"}, 0, {1});
  middle.GiveOne(middle.Begun(0), "A");
  middle.GiveOne(middle.Begun(1), "B");
  middle.GiveOne(middle.Begun(3), "Y");
  EXPECT_THAT(middle.passed_over, ElementsAre(2, 4));
  EXPECT_TRUE(middle.board().done());
}

TEST(BoardTest, AStreamThatNoWantedOutputNeedsIsNotTaken) {
  Bench bench({{{"in"}, {"part"}, true}, {{"in"}, {"once"}}, {{"part"}, {"out"}}}, {"out", "once"}, 0, {1});
  EXPECT_THAT(bench.begun[0], IsEmpty());
  bench.GiveOne(bench.Begun(1), "1");
  EXPECT_TRUE(bench.board().done());
  EXPECT_THAT(bench.answers, ElementsAre("once=1 "));
}

TEST(BoardTest, SomeGoOnAtATime) {
  Bench bench({{{"in"}, {"part"}, true}, {{"part"}, {"out"}}}, {"out"}, 2);
  const Board::Task stream = bench.Begun(0);
  const auto flow = bench.board().FlowOf(stream);
  ASSERT_NE(flow, nullptr);
  ASSERT_TRUE(bench.Give(stream, "0").ok());
  EXPECT_TRUE(flow->open());
  ASSERT_TRUE(bench.Give(stream, "1").ok());
  EXPECT_FALSE(flow->open());
  ASSERT_TRUE(bench.Give(stream, "2").ok());
  bench.Finish(stream);
  const Board::Task zero = bench.Begun(1);
  const Board::Task one = bench.Begun(1);
  EXPECT_THAT(bench.begun[1], IsEmpty());
  bench.GiveOne(one, "one");
  EXPECT_THAT(bench.begun[1], IsEmpty()) << "it waits for its turn to be an answer";
  bench.GiveOne(zero, "zero");
  EXPECT_TRUE(flow->open());
  bench.GiveOne(bench.Begun(1), "two");
  EXPECT_THAT(bench.answers, ElementsAre("out=zero ", "out=one ", "out=two "));
  EXPECT_TRUE(bench.board().done());
}

TEST(BoardTest, WithALimitOfOneAModelMayEndBeforeItsLastResponseIsAnAnswer) {
  Bench bench({{{"in"}, {"part"}, true}, {{"part"}, {"out"}}}, {"out"}, 1);
  const Board::Task stream = bench.Begun(0);
  const auto flow = bench.board().FlowOf(stream);
  ASSERT_TRUE(bench.Give(stream, "0").ok());
  ASSERT_TRUE(bench.Give(stream, "1").ok());
  EXPECT_FALSE(flow->open());
  const Board::Task zero = bench.Begun(1);
  EXPECT_THAT(bench.begun[1], IsEmpty()) << "one goes on at a time";
  bool goes_on = false;
  flow->WhenOpen([&goes_on] { goes_on = true; });
  bench.GiveOne(zero, "zero");
  EXPECT_TRUE(goes_on);
  bench.Finish(stream);
  bench.GiveOne(bench.Begun(1), "one");
  EXPECT_TRUE(bench.board().done());
}

TEST(BoardTest, AModelThatDoesNotHoldIsGivenUp) {
  Bench bench({{{"in"}, {"part"}, true}, {{"part"}, {"out"}}}, {"out"}, 1);
  const Board::Task stream = bench.Begun(0);
  bench.board().FlowOf(stream);
  base::Status status;
  for (int i = 0; status.ok() && i < 10'000; ++i) status = bench.Give(stream, "x");
  EXPECT_EQ(status.code(), base::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("the model goes on"));
  EXPECT_THAT(bench.begun[1], SizeIs(1));
}

TEST(BoardTest, WithoutALimitThereIsOneAllTheSame) {
  Bench bench({{{"in"}, {"part"}, true}, {{"part"}, {"out"}}}, {"out"});
  const Board::Task stream = bench.Begun(0);
  const auto flow = bench.board().FlowOf(stream);
  base::Status status;
  for (int i = 0; status.ok() && i < 100; ++i) {
    EXPECT_EQ(flow->open(), i < 64);
    status = bench.Give(stream, "x");
  }
  EXPECT_THAT(bench.begun[1], SizeIs(100));
  for (int i = 0; status.ok() && i < 100'000; ++i) status = bench.Give(stream, "x");
  EXPECT_EQ(status.code(), base::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("'max_inflight_requests' may hold the model"));
}

}  // namespace
}  // namespace inferd::ensemble
