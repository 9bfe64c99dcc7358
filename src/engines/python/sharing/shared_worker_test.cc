#include "engines/python/sharing/shared_worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace inferd::python {
namespace {

using Worker = std::unique_ptr<int>;

class FakeUser final : public SharedWorker<int>::User {
 public:
  std::optional<Worker> Yield() override {
    ++asked;
    return busy ? std::nullopt : std::optional(std::move(worker));
  }
  Worker GiveUp() override { return std::move(worker); }

  Worker worker;
  std::atomic<bool> busy{false};
  std::atomic<int> asked{0};
};

TEST(SharedWorkerTest, AnotherUserTakesItBetweenTwoExecutions) {
  SharedWorker<int> shared;
  FakeUser before;
  FakeUser after;
  ASSERT_TRUE(shared.Join());
  ASSERT_TRUE(shared.Join());
  EXPECT_FALSE(shared.IsElsewhere(after)) << "nobody has one";
  EXPECT_EQ(shared.Take(before), nullptr) << "it starts one";
  before.worker = std::make_unique<int>(7);
  EXPECT_TRUE(shared.IsElsewhere(after));
  EXPECT_FALSE(shared.IsElsewhere(before));
  before.busy = true;
  std::thread thread([&] { after.worker = shared.Take(after); });
  while (before.asked < 2) std::this_thread::yield();
  EXPECT_TRUE(shared.IsElsewhere(after));
  before.busy = false;
  thread.join();
  ASSERT_NE(after.worker, nullptr);
  EXPECT_EQ(*after.worker, 7);
  EXPECT_TRUE(shared.IsElsewhere(before));
  EXPECT_EQ(shared.Leave(before), nullptr);
  EXPECT_EQ(*shared.Leave(after), 7) << "the last user ends it";
  EXPECT_FALSE(shared.Join());
}

TEST(SharedWorkerTest, ItIsKeptForAUserThatHasNotTakenItYet) {
  SharedWorker<int> shared;
  FakeUser before;
  FakeUser after;
  shared.Join();
  shared.Join();
  shared.Take(before);
  before.worker = std::make_unique<int>(7);
  EXPECT_EQ(shared.Leave(before), nullptr);
  EXPECT_TRUE(shared.IsElsewhere(after));
  EXPECT_EQ(*shared.Take(after), 7);
}

TEST(SharedWorkersTest, ALaterLoadTakesOverEachWorkerOnce) {
  SharedWorkers<int> workers;
  const auto first = workers.Share(1, "cpu");
  const auto second = workers.Share(1, "cpu");
  EXPECT_FALSE(first.second || second.second);
  EXPECT_NE(first.first, second.first);
  EXPECT_FALSE(workers.Share(2, "gpu").second);
  EXPECT_EQ(workers.Share(2, "cpu"), std::pair(first.first, true));
  EXPECT_EQ(workers.Share(2, "cpu"), std::pair(second.first, true));
  EXPECT_FALSE(workers.Share(2, "cpu").second) << "there are no more";
  EXPECT_EQ(workers.Share(3, "cpu"), std::pair(first.first, true));
}

TEST(SharedWorkersTest, AWorkerThatAllHaveLeftIsNotTakenOver) {
  SharedWorkers<int> workers;
  FakeUser user;
  const auto worker = workers.Share(1, "cpu").first;
  worker->Leave(user);
  EXPECT_FALSE(workers.Share(2, "cpu").second);
}

TEST(SharedWorkerTableTest, LoadsWithOneKeyShareWorkers) {
  SharedWorkerTable<int> table;
  const auto one = table.Add("one");
  const auto again = table.Add("one");
  const auto two = table.Add("two");
  EXPECT_EQ(one.first, again.first);
  EXPECT_NE(one.first, two.first);
  EXPECT_TRUE(one.second < again.second && again.second < two.second);
}

}  // namespace
}  // namespace inferd::python
