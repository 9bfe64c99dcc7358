#include "net/connection_count.h"

#include <gtest/gtest.h>

#include <thread>

namespace inferd::net {
namespace {

TEST(ConnectionCountTest, HoldsItsLimit) {
  ConnectionCount count;
  EXPECT_TRUE(count.TryAdd(2));
  EXPECT_TRUE(count.TryAdd(2));
  EXPECT_FALSE(count.TryAdd(2));
  count.Remove();
  EXPECT_EQ(count.value(), 1u);
  EXPECT_TRUE(count.TryAdd(2));
}

TEST(ConnectionCountTest, WaitsForTheLastOne) {
  ConnectionCount count;
  EXPECT_TRUE(count.WaitForNone(std::chrono::milliseconds(0)));
  EXPECT_TRUE(count.TryAdd(1));
  EXPECT_FALSE(count.WaitForNone(std::chrono::milliseconds(1)));
  std::thread other([&count] { count.Remove(); });
  EXPECT_TRUE(count.WaitForNone(std::chrono::milliseconds(10'000)));
  other.join();
}

}  // namespace
}  // namespace inferd::net
