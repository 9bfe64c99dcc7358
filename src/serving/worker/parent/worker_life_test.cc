#include "serving/worker/parent/worker_life.h"

#include <gtest/gtest.h>

#include <thread>

namespace inferd::worker {
namespace {

TEST(WorkerLifeTest, TheFirstReasonCounts) {
  int kills = 0;
  WorkerLife life([&] { ++kills; });
  EXPECT_FALSE(life.lost());
  std::thread waiting([&] { EXPECT_EQ(life.AwaitLoss(), base::Unavailable("hung")); });
  life.Kill(base::Unavailable("hung"));
  life.End(base::Unavailable("was killed"));
  life.Kill(base::Unavailable("hung again"));
  waiting.join();
  EXPECT_TRUE(life.lost());
  EXPECT_EQ(life.why(), base::Unavailable("hung"));
  EXPECT_EQ(kills, 1);
}

TEST(WorkerLifeTest, AProcessDoesNotKeepTheMemoryOfModelsThatAreGone) {
  WorkerLife life([] {});
  auto gone = *ChannelMemory::Create(1 << 20);
  auto used = *ChannelMemory::Create(1 << 20);
  life.Watch(gone);
  life.Watch(used);
  const std::weak_ptr<ChannelMemory> weak = gone;
  gone.reset();
  EXPECT_TRUE(weak.expired());
  const uint32_t rung = used->header().answers.rung.load();
  life.End(base::Unavailable("it left"));
  EXPECT_NE(used->header().answers.rung.load(), rung);
}

}  // namespace
}  // namespace inferd::worker
