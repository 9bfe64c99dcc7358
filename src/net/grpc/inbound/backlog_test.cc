#include "net/grpc/inbound/backlog.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

namespace inferd::net::grpc {
namespace {

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }
std::string Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(BacklogTest, GivesBytesBackInOrder) {
  const auto budget = std::make_shared<MemoryBudget>(1000);
  BodyPool bodies(budget);
  Backlog backlog(bodies);
  EXPECT_TRUE(backlog.empty());
  EXPECT_TRUE(backlog.Append(Bytes("abc")));
  EXPECT_TRUE(backlog.Append(Bytes("def")));
  EXPECT_EQ(budget->used(), 6u);
  EXPECT_EQ(Text(backlog.Front()), "abcdef");
  backlog.Drop(2);
  EXPECT_TRUE(backlog.Append(Bytes("ghi")));
  EXPECT_EQ(Text(backlog.Front()), "cdef");
  backlog.Drop(4);
  EXPECT_FALSE(backlog.empty());
  EXPECT_EQ(Text(backlog.Front()), "ghi");
  EXPECT_EQ(budget->used(), 3u);
  backlog.Drop(3);
  EXPECT_TRUE(backlog.empty());
  EXPECT_TRUE(backlog.Front().empty());
  EXPECT_EQ(budget->used(), 0u);
}

TEST(BacklogTest, KeepsNoMoreThanTheBudgetHas) {
  const auto budget = std::make_shared<MemoryBudget>(5);
  BodyPool bodies(budget);
  Backlog backlog(bodies);
  EXPECT_TRUE(backlog.Append(Bytes("abc")));
  EXPECT_FALSE(backlog.Append(Bytes("def")));
}

}  // namespace
}  // namespace inferd::net::grpc
