#include "enginehost/compute_thread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <vector>

namespace inferd::enginehost {
namespace {

TEST(ComputeThreadTest, RunsWhatIsPostedInOrderAndToItsEnd) {
  std::vector<int> ran;
  {
    ComputeThread thread("test");
    for (int i = 0; i < 5; ++i) thread.Post([&ran, i] { ran.push_back(i); });
  }
  EXPECT_THAT(ran, ::testing::ElementsAre(0, 1, 2, 3, 4));
}

TEST(ComputeThreadTest, EndsOnItselfToo) {
  std::atomic<bool> ended{false};
  std::optional<ComputeThread> thread(std::in_place, "test");
  thread->Post([&] {
    thread.reset();
    ended.store(true);
    ended.notify_all();
  });
  ended.wait(false);
  EXPECT_FALSE(thread.has_value());
}

}  // namespace
}  // namespace inferd::enginehost
