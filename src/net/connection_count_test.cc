#include "net/connection_count.h"

#include <gtest/gtest.h>

#include <thread>

namespace inferd::net {
namespace {

using enum ConnectionKind;

TEST(ConnectionCountTest, HoldsItsLimit) {
  ConnectionCount count;
  EXPECT_TRUE(count.TryAdd(kServing, 2));
  EXPECT_TRUE(count.TryAdd(kServing, 2));
  EXPECT_FALSE(count.TryAdd(kServing, 2));
  count.Remove(kServing);
  EXPECT_EQ(count.value(), 1u);
  EXPECT_TRUE(count.TryAdd(kServing, 2));
}

TEST(ConnectionCountTest, EachKindHasALimitOfItsOwn) {
  ConnectionCount count;
  EXPECT_TRUE(count.TryAdd(kServing, 1));
  EXPECT_FALSE(count.TryAdd(kServing, 1));
  EXPECT_TRUE(count.TryAdd(kApart, 1));
  EXPECT_FALSE(count.TryAdd(kApart, 1));
  EXPECT_TRUE(count.TryAdd(kOverLimit, 1));
  EXPECT_EQ(count.value(), 3u);
  count.Remove(kApart);
  EXPECT_FALSE(count.TryAdd(kServing, 1));
  EXPECT_TRUE(count.TryAdd(kApart, 1));
}

TEST(ConnectionCountTest, WaitsForTheLastOne) {
  ConnectionCount count;
  EXPECT_TRUE(count.WaitForNone(std::chrono::milliseconds(0)));
  EXPECT_TRUE(count.TryAdd(kServing, 1));
  EXPECT_FALSE(count.WaitForNone(std::chrono::milliseconds(1)));
  std::thread other([&count] { count.Remove(kServing); });
  EXPECT_TRUE(count.WaitForNone(std::chrono::milliseconds(10'000)));
  other.join();
}

}  // namespace
}  // namespace inferd::net
