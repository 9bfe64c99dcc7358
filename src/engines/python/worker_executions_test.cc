#include "engines/python/worker_executions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "engines/python/host_fixture.h"

namespace inferd::python {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

// A host that records responses. One at a time, since its functions have no context of their own.
class WorkerExecutionsTest : public ::testing::Test {
 protected:
  WorkerExecutionsTest() {
    responses_.clear();
    resume_ = nullptr;
    may_respond_ = true;
    host_.respond = [](const inferd_batch*, size_t request, const inferd_response* response) {
      responses_.emplace_back(request, response->code);
    };
    host_.may_respond = [](const inferd_batch*, size_t) { return may_respond_ ? 1 : 0; };
    host_.when_may_respond = [](const inferd_batch*, size_t, void (*resume)(void*), void* arg) {
      resume_ = [resume, arg] { resume(arg); };
    };
    for (inferd_batch& batch : batches_) {
      batch.struct_size = sizeof(batch);
      batch.request_count = rows_.size();
      batch.rows = rows_.data();
    }
  }

  WorkerExecutions::Execution& Add(const inferd_batch& batch) {
    MarshalWriter message;
    const auto added = executions_.Add(batch, message);
    EXPECT_TRUE(added.has_value());
    EXPECT_FALSE(message.bytes().empty());
    return **added;
  }

  // The message ("done", number, 0, responses), or with a ticket ("responses", number, 0, ticket, responses), with a
  // response to each of `requests`.
  static Value Message(uint64_t number, const std::vector<int64_t>& requests, uint64_t ticket = 0, bool final = false) {
    MarshalWriter message;
    message.Tuple(ticket == 0 ? 4 : 5);
    message.Text(ticket == 0 ? "done" : "responses");
    message.Uint(number);
    message.Uint(0);
    if (ticket != 0) message.Uint(ticket);
    message.Tuple(requests.size());
    for (const int64_t request : requests) {
      message.Tuple(7);
      message.Int(request);
      message.Bool(ticket == 0 || final);
      message.Int(INFERD_OK);
      message.Text("");
      message.Tuple(0);
      message.Tuple(0);
      message.Bool(false);
    }
    return *ReadMarshal(message.bytes());
  }
  base::Status Take(const Value& message) {
    const bool over = message.items()->size() == 4;
    return executions_.TakeResponses(*message.items(), over, outputs_);
  }

  inline static std::vector<std::pair<size_t, int32_t>> responses_;
  inline static std::function<void()> resume_;
  inline static bool may_respond_ = true;
  const std::vector<int64_t> rows_ = {1, 1};  // of two requests
  inferd_batch batches_[3] = {};
  inferd_host host_ = HostOfPlainRequests();
  SharedArea outputs_ = *SharedArea::Create("test-outputs");
  const std::shared_ptr<Outbox> outbox_ = *Outbox::Create();
  WorkerExecutions executions_{host_, std::make_shared<InputBlocks>(*SharedArea::Create("test-inputs")), outbox_};
};

TEST_F(WorkerExecutionsTest, AnExecutionThatIsDoneInTimeIsFinishedAtOnce) {
  auto& execution = Add(batches_[0]);
  EXPECT_EQ(executions_.BatchOf(execution.number), &batches_[0]);
  EXPECT_TRUE(Take(Message(execution.number, {0, 1})).ok());
  EXPECT_THAT(responses_, ElementsAre(Pair(0, INFERD_OK), Pair(1, INFERD_OK)));
  EXPECT_TRUE(execution.returned);
  EXPECT_EQ(executions_.Leave(execution), kit::Progress::kFinished);
  EXPECT_TRUE(executions_.empty());
  EXPECT_THAT(executions_.TakeFinished(), IsEmpty());
}

TEST_F(WorkerExecutionsTest, ExecutionsThatGoOnFinishInAnyOrder) {
  auto& first = Add(batches_[0]);
  const uint64_t first_number = first.number;
  EXPECT_EQ(executions_.Leave(first), kit::Progress::kPending);
  auto& second = Add(batches_[1]);
  const uint64_t second_number = second.number;
  EXPECT_EQ(executions_.Leave(second), kit::Progress::kPending);
  EXPECT_TRUE(Take(Message(second_number, {-1})).ok());
  EXPECT_TRUE(executions_.any_finished());
  EXPECT_THAT(executions_.TakeFinished(), ElementsAre(&batches_[1]));
  EXPECT_EQ(executions_.BatchOf(second_number), nullptr);
  EXPECT_TRUE(Take(Message(first_number, {-1})).ok());
  EXPECT_THAT(executions_.TakeFinished(), ElementsAre(&batches_[0]));
  EXPECT_TRUE(executions_.empty());
}

TEST_F(WorkerExecutionsTest, WhatWasNotAskedIsRefused) {
  const auto& execution = Add(batches_[0]);
  EXPECT_EQ(Take(Message(execution.number + 1, {0})), NoAnswer());
  EXPECT_FALSE(Take(Message(execution.number, {2})).ok()) << "there are two requests";
  EXPECT_TRUE(Take(Message(execution.number, {0, 1})).ok());
  EXPECT_EQ(Take(Message(execution.number, {0})), NoAnswer()) << "it is over";
  EXPECT_EQ(executions_.TakeReturned(*Message(1, {}).items()), base::OkStatus()) << "begins as a \"returned\" does";
  EXPECT_EQ(executions_.TakeReturned({}), NoAnswer());
}

TEST_F(WorkerExecutionsTest, AResponseThatTheClientHoldsUpDelaysTheEnd) {
  auto& execution = Add(batches_[0]);
  const uint64_t number = execution.number;
  EXPECT_EQ(executions_.Leave(execution), kit::Progress::kPending);
  may_respond_ = false;
  EXPECT_TRUE(Take(Message(number, {0}, /*ticket=*/7)).ok());
  EXPECT_THAT(outbox_->TakeAll(), IsEmpty());
  EXPECT_TRUE(Take(Message(number, {-1})).ok());
  EXPECT_FALSE(executions_.any_finished());
  ASSERT_NE(resume_, nullptr);
  resume_();
  const auto items = outbox_->TakeAll();
  ASSERT_THAT(items, SizeIs(1));
  EXPECT_EQ(items[0].resumed, number);
  executions_.Resumed(number);
  EXPECT_THAT(executions_.TakeFinished(), ElementsAre(&batches_[0]));
}

TEST_F(WorkerExecutionsTest, AClientThatTakesResponsesLetsTheWorkerGoOn) {
  const auto& execution = Add(batches_[0]);
  EXPECT_TRUE(Take(Message(execution.number, {1}, /*ticket=*/7)).ok());
  EXPECT_THAT(outbox_->TakeAll(), SizeIs(1));
  EXPECT_EQ(execution.held, 0u);
}

TEST_F(WorkerExecutionsTest, WithTheWorkersEndWhatItHadNotBegunIsTakenBack) {
  std::vector<const inferd_batch*> back;
  executions_.SetTakeBack([&back](const inferd_batch& batch) { back.push_back(&batch); });
  for (const inferd_batch& batch : batches_) executions_.Leave(Add(batch));
  EXPECT_TRUE(Take(Message(1, {0, 1})).ok());
  EXPECT_THAT(executions_.TakeFinished(), ElementsAre(&batches_[0]));
  responses_.clear();
  executions_.Fail(base::Unavailable("it has ended"));
  EXPECT_THAT(back, ElementsAre(&batches_[2]));
  EXPECT_THAT(responses_, ElementsAre(Pair(0, INFERD_UNAVAILABLE), Pair(1, INFERD_UNAVAILABLE)));
  EXPECT_THAT(executions_.TakeFinished(), ElementsAre(&batches_[1]));
  EXPECT_TRUE(executions_.empty());
}

TEST_F(WorkerExecutionsTest, ARequestThatHasItsResponseGetsNoFailure) {
  auto& execution = Add(batches_[0]);
  const uint64_t number = execution.number;
  EXPECT_TRUE(Take(Message(number, {0}, /*ticket=*/3, /*final=*/true)).ok());
  executions_.Fail(base::Unavailable("it has ended"));
  EXPECT_FALSE(executions_.empty()) << "its thread has not left it yet";
  executions_.Leave(execution);
  executions_.Fail(base::Unavailable("it has ended"));
  EXPECT_THAT(responses_, ElementsAre(Pair(0, INFERD_OK), Pair(1, INFERD_UNAVAILABLE)));
  EXPECT_THAT(executions_.TakeFinished(), ElementsAre(&batches_[0]));
}

}  // namespace
}  // namespace inferd::python
