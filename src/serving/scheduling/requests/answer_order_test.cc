#include "serving/scheduling/requests/answer_order.h"

#include <gtest/gtest.h>

#include "serving/core/request/request_trace.h"

namespace inferd::scheduling {
namespace {

class AnswerOrderTest : public ::testing::Test {
 protected:
  // Makes a request that joins now. Each of its responses is logged under `name`.
  core::QueuedRequest Join(const std::string& name) {
    core::QueuedRequest queued;
    queued.request = std::make_unique<core::InferRequest>();
    queued.request->trace = trace_;
    queued.slot = inflight_.Take(share_, 0).value();
    queued.completion = core::Completion([this, name](core::InferResponse response) {
      log_ += name + (response.status.ok() ? "" : "!") + (response.final ? " " : "- ");
      if (on_answer_) on_answer_();
    });
    order_.Join(queued);
    return queued;
  }
  static void Answer(core::QueuedRequest& queued, bool final = true) {
    core::InferResponse response;
    response.final = final;
    queued.Answer(std::move(response));
  }

  AnswerOrder order_;
  std::shared_ptr<core::RequestTrace> trace_;  // of requests that join
  core::InflightLimit inflight_{{}};
  core::InflightLimit::Share share_;
  std::string log_;
  std::function<void()> on_answer_;
};

TEST_F(AnswerOrderTest, EarlyAnswersAreKept) {
  auto a = Join("a");
  auto b = Join("b");
  auto c = Join("c");
  Answer(c);
  Answer(b);
  EXPECT_EQ(log_, "");
  EXPECT_EQ(inflight_.count(), 3) << "they are still the server's to hold";
  Answer(a);
  EXPECT_EQ(log_, "a b c ");
  EXPECT_EQ(inflight_.count(), 0);
}

// A trace that counts responses.
class CountingTrace final : public core::RequestTrace {
 public:
  void Add(core::TraceActivity, int64_t) override {}
  void AddNow(core::TraceActivity activity) override {
    responses += activity == core::TraceActivity::kInferResponseComplete ? 1 : 0;
    ends += activity == core::TraceActivity::kRequestEnd ? 1 : 0;
  }
  void AddCustom(std::string_view) override {}
  void AddTensor(core::TraceActivity, const core::InferTensor&) override {}
  std::shared_ptr<core::RequestTrace> Child(std::string_view, std::string_view) override { return nullptr; }

  int responses = 0;
  int ends = 0;
};

TEST_F(AnswerOrderTest, AnAnswerIsTracedWhenItGoes) {
  auto a = Join("a");
  const auto trace = std::make_shared<CountingTrace>();
  trace_ = trace;
  auto b = Join("b");
  AnswerOrder further;
  further.Join(b);
  Answer(b, false);
  Answer(b);
  EXPECT_EQ(trace->responses, 0);
  Answer(a);
  EXPECT_EQ(trace->responses, 2);
  EXPECT_EQ(trace->ends, 1);
}

TEST_F(AnswerOrderTest, InOrderNothingIsKept) {
  auto a = Join("a");
  auto b = Join("b");
  Answer(a);
  EXPECT_EQ(log_, "a ");
  Answer(b);
  EXPECT_EQ(log_, "a b ");
}

TEST_F(AnswerOrderTest, ErrorsAndRequestsThatWereForgottenKeepTheOrderToo) {
  auto a = Join("a");
  {
    auto b = Join("b");  // destroyed unanswered
  }
  auto c = Join("c");
  c.Fail(base::Cancelled("gone"));
  EXPECT_EQ(log_, "");
  Answer(a);
  EXPECT_EQ(log_, "a b! c! ");
}

TEST_F(AnswerOrderTest, TheFirstOnesPartialAnswersGoOutAtOnce) {
  auto a = Join("a");
  auto b = Join("b");
  Answer(b, false);
  Answer(a, false);
  EXPECT_EQ(log_, "a- ");
  Answer(a);
  EXPECT_EQ(log_, "a- a b- ");
  Answer(b);
  EXPECT_EQ(log_, "a- a b- b ");
}

TEST_F(AnswerOrderTest, AnswersFromWithinAnswersComeAfterThem) {
  auto a = Join("a");
  auto b = Join("b");
  on_answer_ = [&] {
    on_answer_ = nullptr;
    Answer(b);
    log_ += ". ";
  };
  Answer(a);
  EXPECT_EQ(log_, "a . b ");
}

}  // namespace
}  // namespace inferd::scheduling
