#include "ctl/bench/load/message_counter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace inferd::ctl {
namespace {

std::vector<size_t> Sizes(const std::string& bytes, size_t cut) {
  MessageCounter counter;
  std::vector<size_t> sizes;
  for (size_t at = 0; at < bytes.size(); at += cut) {
    std::string_view piece = std::string_view(bytes).substr(at, cut);
    while (counter.Read(piece)) sizes.push_back(counter.last_bytes());
    EXPECT_TRUE(piece.empty());
  }
  return sizes;
}

TEST(MessageCounterTest, FindsEveryEndHoweverTheBytesCome) {
  const std::string bytes =
      std::string("\0\0\0\1\2", 5) + std::string(258, 'x') + std::string(5, '\0') + std::string("\1\0\0\0\3abc", 8);
  const std::vector<size_t> expected = {258, 0, 3};
  for (const size_t cut : {1u, 2u, 3u, 5u, 7u, 262u, 263u, 1000u}) EXPECT_EQ(Sizes(bytes, cut), expected) << cut;
}

TEST(MessageCounterTest, AnUnfinishedMessageIsNone) {
  EXPECT_TRUE(Sizes(std::string("\0\0\0", 3), 3).empty());
  EXPECT_TRUE(Sizes(std::string("\0\0\0\0\2a", 6), 6).empty());
}

}  // namespace
}  // namespace inferd::ctl
