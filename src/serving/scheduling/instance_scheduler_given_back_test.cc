#include <gtest/gtest.h>

#include <deque>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "serving/scheduling/instance_scheduler.h"
#include "tests/support/scheduling_fixture.h"

// Tests executions that an instance's own thread gives back to the connections' thread that brought them.

namespace inferd::scheduling {
namespace {

using inferd::support::FakeEngine;

// The executor of a thread that works in turns. Holds its tasks.
class HeldTasks final : public base::Executor {
 public:
  void Post(base::Task task) override {
    base::MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.NotifyAll();
  }
  base::Task Await() {
    base::MutexLock lock(mutex_);
    while (tasks_.empty()) changed_.Wait(mutex_);
    base::Task task = std::move(tasks_.front());
    tasks_.pop_front();
    return task;
  }

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  std::deque<base::Task> tasks_ GUARDED_BY(mutex_);
};

// The instance's own thread runs the first execution, because the thread that brought it may not run models. Two more
// wait when it ends.
class GivenBackExecutionsTest : public ::testing::Test {
 protected:
  using Answer = std::future<core::InferResponse>;

  GivenBackExecutionsTest() {
    FakeEngine::Script script;
    script.returns_at_once = true;
    script.computes_elsewhere = true;
    script.on_execute = [this](core::Execution& execution) {
      Begins();
      FakeEngine::Identity(execution);
    };
    version_ = fixture_.MakeVersion(std::move(script));
    {
      base::Turn elsewhere({}, false);
      const base::Turn::Scope here(elsewhere);
      Send();
    }
    here_.emplace(turn_);
    for (int i = 0; i < 2; ++i) Send();
    over_.set_value();
    task_ = loop_.Await();
    EXPECT_EQ(begun(), 1U);
  }

  void Begins() {
    {
      base::MutexLock lock(mutex_);
      threads_.push_back(std::this_thread::get_id());
      if (threads_.size() > 1) return;
    }
    over_.get_future().wait();
  }
  size_t begun() {
    base::MutexLock lock(mutex_);
    return threads_.size();
  }
  void Send() { answers_.push_back(fixture_.Send(fixture_.Request(version_, nullptr))); }
  // Awaits the responses, and checks for each execution if it ran on this thread.
  void AwaitAll(const std::vector<bool>& here) {
    for (Answer& answer : answers_) EXPECT_TRUE(answer.get().status.ok());
    SchedulingFixture::AwaitIdle(*version_);
    std::vector<bool> ran_here;
    for (const std::thread::id id : threads_) ran_here.push_back(id == std::this_thread::get_id());
    EXPECT_EQ(ran_here, here);
  }

  base::FakeClock clock_;
  base::Mutex mutex_;
  std::vector<std::thread::id> threads_;  // by execution
  SchedulingFixture fixture_{clock_};
  std::promise<void> over_;
  HeldTasks loop_;
  base::Turn turn_{{}, true, nullptr, &loop_};
  std::optional<base::Turn::Scope> here_;
  std::shared_ptr<const core::ModelVersion> version_;
  std::vector<Answer> answers_;
  base::Task task_;
};

TEST_F(GivenBackExecutionsTest, RunOnTheConnectionsThread) {
  task_();
  AwaitAll({false, true, true});
}

TEST_F(GivenBackExecutionsTest, RunOnTheInstancesThreadIfThatOneHasEnded) {
  task_ = nullptr;
  // Another thread runs the execution after it.
  loop_.Await()();
  AwaitAll({false, false, true});
}

TEST_F(GivenBackExecutionsTest, RunOnTheInstancesThreadIfThatOneHangs) {
  clock_.AdvanceNs(HeldThreads::kHeldNs - 1);
  fixture_.deadlines().RunDue();
  EXPECT_EQ(begun(), 1U);
  clock_.AdvanceNs(1);
  fixture_.deadlines().RunDue();
  base::Task next = loop_.Await();
  task_();
  EXPECT_EQ(begun(), 3U) << "the next one is put off now";
  next();
  AwaitAll({false, false, true});
}

}  // namespace
}  // namespace inferd::scheduling
